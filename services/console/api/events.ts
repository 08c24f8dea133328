import { pathTo } from '../state/paths/path.ts';
import { type Resource, useResource } from './requests/resource.ts';
import type { Event } from '../types.ts';

/** An empty value filters nothing. */
export type EventFilter = {
  readonly search?: string;
  readonly type?: string;
  readonly exceptType?: string;
  readonly feature?: string;
  readonly limit?: string;
  /** Where the page begins; empty for the newest events. */
  readonly cursor?: string;
};

type EventPage = { readonly items: readonly Event[]; readonly nextCursor: string | null };
type Events = { readonly events: readonly Event[] };

const EVERY_MS = 10_000;

/** A page of events, the newest first; needs the permission READ_EVENTS in any project. */
export function useEventPage(filter: EventFilter): Resource<EventPage> {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given);
  return useResource(pathTo`api/admin/search/events?${query}`, { everyMs: EVERY_MS });
}

/** All events of one feature. */
export function useFeatureEvents(feature: string): Resource<Events> {
  return useResource(pathTo`api/admin/events/${feature}`, { everyMs: EVERY_MS });
}
