/** The `limit` query parameter of lists. */
export const limitParameter = {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  default: 100,
  description: 'Maximum number of items.',
} as const;
