import { readApplications } from './read-applications.ts';
import { readArchivedFeatures } from './read-archived.ts';
import { readFeatureLists } from './read-feature-lists.ts';
import { readOutdatedFeatures } from './read-outdated.ts';
import type { SyncParts } from './sync-parts.ts';
import { storeEnvironments, storeProjects, storeStrategies } from './store/lists.ts';
import { type SyncState, readState, saveSuccess } from './store/state.ts';
import { syncEvents, watchEvents } from './sync-events.ts';

export type RoundOutcome = 'unchanged' | 'changed' | 'unfinished';

/** Lists find changes without an event: Unleash makes a change even if it fails to write its event. */
const LIST_AGAIN_MS = 3_600_000;

/**
 * One round copies the changes of Unleash to our tables. Each step may be repeated, so the next round can continue an
 * interrupted one:
 *   1. look at the newest event; if nothing is new and nothing is left to do, the round ends;
 *   2. store projects, environments and strategies;
 *   3. store new events, and mark the features that they name as outdated;
 *   4. at first and each hour: list the applications and the active features, and mark features that differ; at first: list the
 *      archived ones too;
 *   5. read the outdated features one by one.
 */
export async function syncOnce(parts: SyncParts): Promise<RoundOutcome> {
  const { reader, db } = parts;
  const startedAt = new Date();
  const before = await readState(db);
  const news = await watchEvents(reader, before);
  if (news === 'none' && isSettled(before)) {
    await saveSuccess(db, startedAt);
    return 'unchanged';
  }
  const projects = await reader.projects();
  await storeProjects(db, projects);
  await storeEnvironments(db, await reader.environments());
  await storeStrategies(db, await reader.strategies());
  if (news !== 'none') await syncEvents(parts, before);
  const state = await readState(db);
  if (isListDue(state)) {
    await readApplications(parts);
    await readFeatureLists(parts, projects);
  }
  await readOutdatedFeatures(parts);
  if (!state.areArchivedRead) await readArchivedFeatures(parts, state.archivedRead);
  if (!isSettled(await readState(db))) return 'unfinished';
  await saveSuccess(db, startedAt);
  return 'changed';
}

/** Also if the last list is of the future, by a clock that was ahead. */
function isListDue({ listedAt }: SyncState): boolean {
  return listedAt === undefined || Math.abs(Date.now() - listedAt.getTime()) > LIST_AGAIN_MS;
}

/** Whether everything known to be new is stored. */
function isSettled(state: SyncState): boolean {
  return !isListDue(state) && state.areArchivedRead && state.outdated === 0;
}
