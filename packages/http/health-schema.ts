/** The answer of a process that is well. */
export const healthSchema = {
  title: 'Health',
  type: 'object',
  required: ['health'],
  properties: { health: { type: 'string', const: 'GOOD' } },
} as const;
