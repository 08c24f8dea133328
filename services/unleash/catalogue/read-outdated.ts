import { inTransaction } from '#postgres';
import { rowOf, storeConfigurations, storeFeatures } from './store/features.ts';
import { markGone } from './store/gone.ts';
import { readOutdated, unmarkOutdated } from './store/outdated.ts';
import type { SyncParts } from './sync-parts.ts';

/** Several rounds of what the client sends at the same time, so that none waits long for its turn. */
const AT_ONCE = 40;
/** The rest is for the next round, which looks for news first. */
const LONGEST_MS = 50_000;

/** Reads the features that changed, with their strategies and variants. Those that Unleash no longer has are marked. */
export async function readOutdatedFeatures({ reader, db, signal }: SyncParts): Promise<void> {
  const endsAt = Date.now() + LONGEST_MS;
  while (!signal.aborted && Date.now() < endsAt) {
    const outdated = await readOutdated(db, AT_ONCE);
    if (outdated.length === 0) return;
    const features = await Promise.all(outdated.map(({ project, name }) => reader.feature(project, name)));
    const found = features.filter((feature) => feature !== undefined);
    const gone = outdated.filter((_, index) => features[index] === undefined);
    await inTransaction(db, async (client) => {
      await storeFeatures(
        client,
        found.map((feature) => rowOf(feature)),
      );
      await storeConfigurations(client, found);
      await markGone(
        client,
        gone.map(({ name }) => name),
      );
      await unmarkOutdated(client, outdated);
    });
  }
}
