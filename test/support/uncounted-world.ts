import { setUp, setUpTables } from '#operations';
import { withMigrationLock } from '#postgres';
import { readConfig } from '#runtime';
import { stackEnv } from './engines/stack-addresses.ts';
import { UNCOUNTED } from './engines/world-databases.ts';
import { type Prepare, type World, createWorld } from './world.ts';

const ONE_PARTITION = { KAFKA_COUNTS_PARTITIONS: '1', KAFKA_APPLICATIONS_PARTITIONS: '1' };

/**
 * A world that counts nothing. Its services read a ClickHouse database that belongs to all such worlds, and an INSERT
 * fails there. Other worlds cost three times as much, mostly for the tables and views.
 */
export function createUncountedWorld(overrides: Record<string, string> = {}): Promise<World> {
  const { clickhouse, postgres } = readConfig({ ...stackEnv(), ...overrides });
  const { username, password, reader } = clickhouse;
  const access = {
    CLICKHOUSE_DATABASE: UNCOUNTED,
    CLICKHOUSE_USER: reader.username,
    CLICKHOUSE_PASSWORD: reader.password,
  };
  const prepare: Prepare = async (config, log) => {
    const asOwner = { ...config, clickhouse: { ...config.clickhouse, username, password } };
    await withMigrationLock(postgres, () => setUpTables(asOwner, log));
    await setUp(asOwner, log);
  };
  return createWorld({ ...ONE_PARTITION, ...overrides, ...access }, { prepare });
}
