import type { FromSchema } from 'json-schema-to-ts';
import { members, time } from '#base/schema';

export const sessionSchema = {
  title: 'Session',
  type: 'object',
  description: 'A browser in which a user is signed in.',
  ...members({
    id: { type: 'string', format: 'uuid', description: 'Id of the session, not its secret.' },
    userId: { type: 'integer' },
    createdAt: time('When the user signed in.'),
    seenAt: time('When it was last used, to the minute.'),
    endsAt: time('When it ends at the latest.'),
  }),
} as const;

export const sessionsSchema = {
  title: 'Sessions',
  type: 'object',
  description: 'The latest use first; at most 1,000.',
  ...members({ sessions: { type: 'array', items: sessionSchema } }),
} as const;

export type SessionRecord = FromSchema<typeof sessionSchema>;
