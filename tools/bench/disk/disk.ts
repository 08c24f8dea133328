// `make bench-disk`: disk.ts [--directory .local/bench-disk]
import { parseArgs } from 'node:util';
import { openClickHouse } from '#core/clickhouse';
import { type BenchStack, runOnStack } from '../process/run-on-stack.ts';
import { generateReceived } from '../reads/received.ts';
import { type RollUps, generateRollUps } from '../reads/roll-ups.ts';
import { createBenchWorld } from '../world.ts';
import { describeSizes, mergeAll, readSizes } from './sizes.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: '.local/bench-disk' },
  },
});
/** All parts of a table are merged by one statement. */
const MERGE_TIMEOUT_MS = 300_000;

/** A month: parts hold one, so the disk of a table grows with the time that it keeps. */
const SHARED = { days: 30, environments: ['development', 'production', 'staging'] } as const;

/** Both have 6,000 keys an hour. */
const DENSITIES: Readonly<Record<string, RollUps>> = {
  'realistic: 200 features, 10 applications, 3 environments, a million evaluations a day': {
    ...SHARED,
    features: 200,
    apps: 10,
    appsPerFeature: 10,
    evaluationsPerDay: 1_000_000,
  },
  'dense: 40 features, 50 applications, 3 environments, 100 million evaluations a day': {
    ...SHARED,
    features: 40,
    apps: 50,
    appsPerFeature: 50,
    evaluationsPerDay: 100_000_000,
  },
};

/** Three relays for each environment send once a minute, mostly to different times. */
const BLOCKS = { secondsPerBlock: 20, messagesPerBlock: 1 } as const;

await runOnStack(values.directory, measure);

/** What ClickHouse stores of a month of generated counts, as files on the disk, and what that makes for as long as each table keeps. */
async function measure({ addresses, interrupted }: BenchStack): Promise<void> {
  for (const [index, [name, rollUps]] of Object.entries(DENSITIES).entries()) {
    if (interrupted.aborted) break;
    const world = await createBenchWorld(addresses, `disk_${index}`);
    const db = openClickHouse({ ...world.config.clickhouse, timeoutMs: MERGE_TIMEOUT_MS });
    await generateRollUps(db, rollUps);
    await generateReceived(db, { ...rollUps, ...BLOCKS });
    await mergeAll(db);
    const sizes = await readSizes(db, world.config.retention, rollUps.days);
    console.log(`\n${name}\n\n${describeSizes(sizes)}`);
    await Promise.all([db.close(), world.close()]);
  }
}
