import { text } from './schema.ts';

/** The error body (docs/contract.md#errors). */
export const errorSchema = {
  title: 'Error',
  type: 'object',
  description: 'What went wrong.',
  required: ['id', 'name', 'message'],
  properties: {
    id: { type: 'string', format: 'uuid', description: 'This one failure, as the log names it.' },
    name: text('Kind of error.'),
    message: text('What went wrong, for people.', 10_000),
    details: {
      type: 'array',
      items: {
        title: 'ErrorDetail',
        type: 'object',
        required: ['message'],
        properties: { path: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
} as const;
