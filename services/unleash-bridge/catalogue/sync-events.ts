import { inTransaction } from '#base/postgres';
import { type CatalogueReader, type UnleashEvent, UnleashError } from '#unleash/client';
import { type TouchedFeature, storeEvents } from './store/events.ts';
import { markOutdated } from './store/outdated.ts';
import { type SyncState, forgetLists, saveEventPosition } from './store/state.ts';
import type { SyncParts } from './sync-parts.ts';

/** Whether Unleash has other events than before. Their number also changes when an event with a smaller id is committed late. */
export async function watchEvents(reader: CatalogueReader, state: SyncState): Promise<'some' | 'none'> {
  const { events, total } = await reader.events({ offset: 0, limit: 1 });
  const [newest] = events;
  // Unleash answers with an empty list if its database fails.
  if (newest === undefined && state.eventId !== undefined)
    throw new UnleashError('unleash-answer', 'Unleash answered that it has no events any more.');
  return newest?.id === state.eventId && total === state.eventCount ? 'none' : 'some';
}

/** An event may contain a whole feature, before and after. */
const PAGE = 100;
const MAX_PAGES = 100;
/** Unleash assigns ids before the commit, so an event may appear after one with a greater id. */
const LATE_IDS = 100;

/**
 * Stores the events since the last round, newest first, and marks the features that new events name. The first round stores the
 * newest 10,000. If more are new, or if the ids started again, all features are listed again.
 */
export async function syncEvents({ reader, db }: SyncParts, state: SyncState): Promise<void> {
  const seen = new Set<string>();
  let newest: UnleashEvent | undefined;
  let total = 0;
  let isComplete = false;
  for (let page = 0; page < MAX_PAGES && !isComplete; page += 1) {
    const read = await reader.events({ offset: page * PAGE, limit: PAGE });
    newest ??= read.events[0];
    if (page === 0) ({ total } = read);
    await inTransaction(db, async (client) => {
      const touched = await storeEvents(client, read.events);
      await markOutdated(client, newestOfEach(touched, seen), { areTagsListed: false });
    });
    const lastId = read.events.at(-1)?.id;
    isComplete = read.events.length < PAGE || isBefore(lastId, state.eventId);
  }
  const isKnownBefore = state.eventId !== undefined;
  if (isKnownBefore && (!isComplete || isBefore(newest?.id, state.eventId))) await forgetLists(db);
  if (newest !== undefined) await saveEventPosition(db, { eventId: newest.id, eventCount: total });
}

/** The newest event of a feature has its current project. */
function newestOfEach(touched: readonly TouchedFeature[], seen: Set<string>): TouchedFeature[] {
  const newest: TouchedFeature[] = [];
  for (const feature of touched) {
    if (!seen.has(feature.name)) newest.push(feature);
    seen.add(feature.name);
  }
  return newest;
}

function isBefore(id: number | undefined, known: number | undefined): boolean {
  return id !== undefined && known !== undefined && id < known - LATE_IDS;
}
