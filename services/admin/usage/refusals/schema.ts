import type { FromSchema } from 'json-schema-to-ts';
import { count, members } from '#base/schema';

/** Metrics that were received but not counted, with the reasons. */
export const refusalsSchema = {
  title: 'Refusals',
  type: 'object',
  ...members({
    totals: {
      type: 'array',
      description: 'Each reason, and how often it was given, also beyond the limit.',
      items: {
        title: 'RefusalTotal',
        type: 'object',
        ...members({
          reason: { type: 'string', description: 'Why it was refused.' },
          items: count('Number of items with this reason.'),
          count: count('Sum of their counts.'),
        }),
      },
    },
    refusals: {
      type: 'array',
      items: {
        title: 'Refusal',
        type: 'object',
        ...members({
          day: { type: 'string', format: 'date', description: 'Day (UTC) of the receipt.' },
          kind: { type: 'string', description: 'metric, application or sample.' },
          reason: { type: 'string', description: 'Why it was refused.' },
          tokenId: { type: 'string', description: 'Token of the sender.' },
          environment: {
            type: 'string',
            description: 'Name as it was sent, with unprintable characters replaced.',
          },
          appName: {
            type: 'string',
            description: 'Name as it was sent, with unprintable characters replaced.',
          },
          featureName: {
            type: 'string',
            description:
              'Name as it was sent, with unprintable characters replaced; empty for an application.',
          },
          count: count('Number of refusals.'),
          sample: {
            type: 'string',
            description: 'Example of a refused value, shortened and with unprintable characters replaced.',
          },
        }),
      },
    },
  }),
} as const;

export type Refusals = FromSchema<typeof refusalsSchema>;
