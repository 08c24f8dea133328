import { availableParallelism } from 'node:os';

/** One for each core: more would divide small bodies among more sends. With two, one decodes while ClickHouse stores the other. */
const PARTITIONS = Math.min(Math.max(availableParallelism(), 2), 16);

/**
 * Settings of flagmeter that suit this machine, unless the environment has its own. They are in stack.env beside the addresses,
 * so that every program expects the same: otherwise `flagmeter migrate` would add partitions.
 */
export function localSettings(environment: NodeJS.ProcessEnv): { readonly KAFKA_COUNTS_PARTITIONS: string } {
  return { KAFKA_COUNTS_PARTITIONS: environment['KAFKA_COUNTS_PARTITIONS'] || String(PARTITIONS) };
}
