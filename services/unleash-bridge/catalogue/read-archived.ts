import { inTransaction } from '#base/postgres';
import { ARCHIVED_PAGE } from '#unleash/client';
import { rowOf, storeFeatures } from './store/features.ts';
import { saveArchivedProgress } from './store/state.ts';
import type { SyncParts } from './sync-parts.ts';

/** Unleash allows 15 of these pages a minute and address. We leave some of them for people who search. */
const PAGES_A_ROUND = 10;

/**
 * Reads some pages of archived features in each round, from where the previous round ended. Once all are read, events report
 * the changes.
 */
export async function readArchivedFeatures(
  { reader, db, signal }: SyncParts,
  readBefore: number,
): Promise<void> {
  let read = readBefore;
  for (let page = 0; page < PAGES_A_ROUND && !signal.aborted; page += 1) {
    const { features } = await reader.archived(read);
    const rows = features.map((feature) => rowOf(feature, feature.archivedAt));
    await inTransaction(db, (client) => storeFeatures(client, rows));
    read += features.length;
    const areAllRead = features.length < ARCHIVED_PAGE;
    await saveArchivedProgress(db, { read, areAllRead });
    if (areAllRead) return;
  }
}
