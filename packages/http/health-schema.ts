/** The answer of a healthy process. */
export const healthSchema = {
  title: 'Health',
  type: 'object',
  required: ['health'],
  properties: { health: { type: 'string', const: 'GOOD' } },
} as const;
