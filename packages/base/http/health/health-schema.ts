import { members } from '#base/schema';
/** The answer of a healthy process. */
export const healthSchema = {
  title: 'Health',
  type: 'object',
  ...members({ health: { type: 'string', const: 'GOOD' } }),
} as const;
