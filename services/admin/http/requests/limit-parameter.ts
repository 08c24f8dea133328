/** The `limit` query parameter of lists. */
export const limitParameter = {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  default: 100,
  description: 'Maximum number of items.',
} as const;

/** The `cursor` query parameter of lists. Positions would repeat items after an insert. */
export const cursorParameter = {
  type: 'string',
  maxLength: 4000,
  description: 'nextCursor of the previous page.',
} as const;
