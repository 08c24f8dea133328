import { CLICKHOUSE_TIMEOUT_MS, openClickHouse } from '#core/clickhouse';
import type { StackAddresses } from '../../stack/index.ts';
import { launch } from '../process/bench-process.ts';
import { createBenchWorld } from '../world.ts';
import { generateCatalogue } from './catalogue.ts';
import { type Read, measureReads } from './reads.ts';
import { type RollUps, generateRollUps } from './roll-ups.ts';

export type HistoryRun = {
  readonly addresses: StackAddresses;
  readonly logs: string;
  readonly say: (line: string) => void;
  readonly interrupted: AbortSignal;
};

/** A statement that generates millions of rows may take longer than one of a service. */
const GENERATE_TIMEOUT_MS = 10 * CLICKHOUSE_TIMEOUT_MS;

/** Generates a history, then asks all the usual questions about it. */
export async function measureHistory(
  rollUps: RollUps,
  { addresses, logs, say, interrupted }: HistoryRun,
): Promise<Read[]> {
  const world = await createBenchWorld(addresses, 'bench_reads');
  const generator = openClickHouse({ ...world.config.clickhouse, timeoutMs: GENERATE_TIMEOUT_MS });
  const program = 'services/admin/main';
  const admin = await launch({ name: 'admin', program, env: world.env, logs });
  try {
    say(`generating ${rollUps.days} days of ${rollUps.features} features ...`);
    await generateRollUps(generator, rollUps, () => {
      interrupted.throwIfAborted();
    });
    await generateCatalogue(world.config, generator, rollUps);
    say('asking ...');
    return await measureReads({ world, admin, interrupted }, rollUps);
  } finally {
    await admin.stop();
    await Promise.all([generator.close(), world.close()]);
  }
}
