import { inTransaction } from '#base/postgres';
import type { CatalogueReader } from '#unleash/client';
import { rowOf, storeConfigurations, storeFeatures } from './store/features.ts';
import { markGone } from './store/gone.ts';
import { type Outdated, readOutdated, unmarkOutdated } from './store/outdated.ts';
import type { SyncParts } from './sync-parts.ts';

/** Several times the number of parallel requests of the client, so that none waits long for its turn. */
const AT_ONCE = 40;
/** The rest is read in the next round, which first looks for new events. */
const LONGEST_MS = 50_000;

/** Reads the changed features, with their strategies and variants. Marks those that Unleash no longer has. */
export async function readOutdatedFeatures({ reader, db, signal }: SyncParts): Promise<void> {
  const endsAt = performance.now() + LONGEST_MS;
  while (!signal.aborted && performance.now() < endsAt) {
    const outdated = await readOutdated(db, AT_ONCE);
    if (outdated.length === 0) return;
    const features = await Promise.all(outdated.map((one) => readFeature(reader, one)));
    const found = features.filter((feature) => feature !== undefined);
    const gone = outdated.filter((_, index) => features[index] === undefined);
    await inTransaction(db, async (client) => {
      await storeFeatures(
        client,
        found.map(({ feature, tags }) => ({ ...rowOf(feature), tags })),
      );
      await storeConfigurations(
        client,
        found.map(({ feature }) => feature),
      );
      await markGone(
        client,
        gone.map(({ name }) => name),
      );
      await unmarkOutdated(client, outdated);
    });
  }
}

async function readFeature(reader: CatalogueReader, { project, name, tags }: Outdated) {
  const [feature, tagsNow] = await Promise.all([reader.feature(project, name), tags ?? reader.tags(name)]);
  return feature === undefined || tagsNow === undefined ? undefined : { feature, tags: tagsNow };
}
