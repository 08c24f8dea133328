/** The query of an operation that changes something at once. */
export const commentQuerySchema = {
  type: 'object',
  properties: {
    // Fits into a URL in any language.
    comment: {
      type: 'string',
      maxLength: 500,
      format: 'storable',
      description:
        'Why the caller makes this change. Its event carries the comment. Spaces around it are removed.',
    },
  },
} as const;
