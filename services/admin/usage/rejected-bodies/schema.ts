import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, time } from '#base/schema';

/** Bodies that ingest did not accept. */
export const rejectedBodiesSchema = {
  title: 'RejectedBodies',
  type: 'object',
  ...members({
    total: count('Number of items, also beyond the limit.'),
    sum: count('Sum of the counts of all items.'),
    rejectedBodies: {
      type: 'array',
      items: {
        title: 'RejectedBody',
        type: 'object',
        ...members({
          day: { type: 'string', format: 'date', description: 'Day (UTC) of the receipt.' },
          tokenId: nullableText('Token of the sender; null if it had no valid one.'),
          problem: { type: 'string', description: 'Why they were not accepted.' },
          count: count('Number of requests.'),
          firstAt: time('The first of them.'),
          lastAt: time('The last of them.'),
          status: { type: 'integer', description: 'The answer of an example of the last minute.' },
          path: { type: 'string', description: 'The endpoint of the example.' },
          place: {
            type: 'string',
            description:
              'Where in the body of the example: metrics[3].yes. Empty for the whole body. `*` replaces names of the sender.',
          },
          message: { type: 'string', description: 'What the sender of the example was told.' },
          appName: nullableText(
            'Header Unleash-AppName of the example, shortened and with unprintable characters replaced; null without it.',
          ),
          sdk: nullableText(
            'Header Unleash-SDK or User-Agent of the example, shortened and with unprintable characters replaced; null without them.',
          ),
        }),
      },
    },
  }),
} as const;

export type RejectedBodies = FromSchema<typeof rejectedBodiesSchema>;
