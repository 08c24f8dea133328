import type { ReadonlySignal } from '@preact/signals';
import { type Resource, useResource } from './resource.ts';
import type { Event } from './types.ts';

type Events = { readonly events: readonly Event[]; readonly totalEvents: number };

const EVERY_MS = 10_000;

/** The last 100 events of the instance; needs the permission ADMIN. Read again after `again` changes. */
export function useEvents(again?: ReadonlySignal<unknown>): Resource<Events> {
  return useResource('api/admin/events', { everyMs: EVERY_MS, again });
}

/** All events of one feature. */
export function useFeatureEvents(feature: string): Resource<Events> {
  return useResource(`api/admin/events/${encodeURIComponent(feature)}`, { everyMs: EVERY_MS });
}
