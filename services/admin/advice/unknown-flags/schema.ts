import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, time } from '#base/schema';

/** A name in one application and environment. */
export const unknownFlagSchema = {
  title: 'UnknownFlag',
  type: 'object',
  ...members({
    name: { type: 'string' },
    appName: { type: 'string' },
    environment: { type: 'string' },
    lastSeenAt: time('Start of the hour of the last evaluation.'),
    count: count('Evaluations of the last 30 days.'),
    nearestName: nullableText(
      'The known feature with the most similar name; null if there is none, or if 100 other unknown names were evaluated later.',
    ),
    reason: {
      type: ['string', 'null'],
      enum: ['invalid_name', 'no_room', null],
      description:
        'Why the evaluations of another flag system did not register it: the admin API accepts no such name, or its tokens have no room for more features. null if neither is so.',
    },
  }),
} as const;

export const unknownFlagsSchema = {
  title: 'UnknownFlags',
  type: 'object',
  ...members({
    total: count(
      'Number of unknown names among the 20,000 names that were evaluated last; at most 100 of them are listed.',
    ),
    unknownFlags: { type: 'array', items: unknownFlagSchema },
  }),
} as const;

export type UnknownFlag = FromSchema<typeof unknownFlagSchema>;
export type UnknownFlags = FromSchema<typeof unknownFlagsSchema>;
