import { members, text } from '#base/schema';

/** The error body (docs/use/senders/contract.md#errors). */
export const errorSchema = {
  title: 'Error',
  type: 'object',
  description: 'Description of the error.',
  ...members(
    {
      id: { type: 'string', format: 'uuid', description: 'Id of this error, also found in the log.' },
      name: text('Type of error.'),
      message: text('Description of the error for people.', 10_000),
      details: {
        type: 'array',
        items: {
          title: 'ErrorDetail',
          type: 'object',
          ...members({ path: { type: 'string' }, message: { type: 'string' } }, ['path']),
        },
      },
    },
    ['details'],
  ),
} as const;
