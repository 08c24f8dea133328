import { inTransaction } from '#base/postgres';
import type { UnleashProject } from '#unleash/client';
import { rowOf, storeFeatures } from './store/features.ts';
import { markMissing, markOutdated } from './store/outdated.ts';
import { saveListed } from './store/state.ts';
import type { SyncParts } from './sync-parts.ts';

const AT_ONCE = 1000;

/**
 * Stores the lists of active features of all projects, so that all features are known early. Marks the features that differ,
 * whose strategies are read later, and the features that are missing from a list.
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
          { areTagsListed: true },
        );
      });
    }
    await inTransaction(db, (client) =>
      markMissing(client, { project, listed: features.map(({ name }) => name) }),
    );
  }
  await saveListed(db);
}
