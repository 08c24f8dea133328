import { inTransaction } from '#postgres';
import type { UnleashProject } from '#unleash';
import { rowOf, storeFeatures } from './store/features.ts';
import { markMissing, markOutdated } from './store/outdated.ts';
import { saveListed } from './store/state.ts';
import type { SyncParts } from './sync-parts.ts';

const AT_ONCE = 1000;

/**
 * Stores what the list of each project says of its active features, so that all of them are known at once. Marks those that differ,
 * whose strategies are then read, and those that a list lacks.
 */
export async function readFeatureLists(
  { reader, db, signal }: SyncParts,
  projects: readonly UnleashProject[],
): Promise<void> {
  for (const { id: project } of projects) {
    if (signal.aborted) return;
    const features = await reader.features(project);
    for (let from = 0; from < features.length; from += AT_ONCE) {
      const rows = features.slice(from, from + AT_ONCE).map((feature) => rowOf({ ...feature, project }));
      await inTransaction(db, async (client) => {
        const changed = await storeFeatures(client, rows);
        await markOutdated(
          client,
          changed.map((name) => ({ name, project })),
        );
      });
    }
    await inTransaction(db, (client) =>
      markMissing(client, { project, listed: features.map(({ name }) => name) }),
    );
  }
  await saveListed(db);
}
