/** The `limit` query parameter of lists. */
export const limitParameter = {
  type: 'integer',
  minimum: 1,
  maximum: 1000,
  default: 100,
  description: 'Maximum number of items.',
} as const;

/** The `offset` query parameter of lists that are read by position. */
export const offsetParameter = {
  type: 'integer',
  minimum: 0,
  maximum: 1_000_000,
  default: 0,
  description: 'Number of items to skip.',
} as const;
