import type { Event } from '../../types.ts';

/** Members of an event's data that name what changed, the most telling first. */
const NAMES = ['appName', 'tokenName', 'username', 'name', 'title', 'description'] as const;

/** The name of what changed, for events that concern no feature: an application, a token, a user. Undefined if it has none. */
export function subjectOf({
  data,
  preData,
  project,
}: Pick<Event, 'data' | 'preData' | 'project'>): string | undefined {
  for (const state of [data, preData])
    for (const name of NAMES) {
      const value: unknown = state?.[name];
      if (typeof value === 'string' && value !== '') return value;
    }
  return project ?? undefined;
}
