import { beginEpoch, openShards } from '#core/clickhouse';
import { createKafka, createMissingTopics } from '#core/kafka';
import { setUp } from '#tooling/operations';
import { withMigrationLock } from '#base/postgres';
import { type Config, type Log, readConfig } from '#base/runtime';
import { setUpCounting } from '../../packages/tooling/operations/setup/set-up.ts';
import { topicPlans } from '../../packages/tooling/operations/setup/topics.ts';
import { stackEnv } from './stack/engines/stack-addresses.ts';
import { computeVerdictsOnRequest } from './stack/engines/clickhouse/idle-verdicts.ts';
import { UNCOUNTED } from './stack/engines/world-databases.ts';
import { shared } from './shared-world.ts';
import { type Prepare, type World, createWorld } from './world.ts';

const ONE_PARTITION = { KAFKA_COUNTS_PARTITIONS: '1', KAFKA_APPLICATIONS_PARTITIONS: '1' };

type Overrides = Readonly<Record<string, string>>;
type SetUp = (config: Config, log: Log) => Promise<void>;

/**
 * A world that counts nothing. Its services read a ClickHouse database that belongs to all such worlds, and an INSERT
 * fails there. Other worlds cost three times as much, mostly for the tables and views.
 */
export function createUncountedWorld(overrides: Overrides = {}): Promise<World> {
  return createSharing(overrides, setUpTopics);
}

/**
 * A world that counts nothing, and whose topics belong to all such worlds too: whatever is sent to them stays there. Only its Postgres
 * database is its own.
 */
export function createWorldWithoutTopics(overrides: Overrides = {}): Promise<World> {
  return createSharing({ KAFKA_TOPIC_PREFIX: UNCOUNTED, ...overrides }, () => Promise.resolve());
}

export const sharedUncountedWorld = shared(createUncountedWorld);
export const sharedWorldWithoutTopics = shared(createWorldWithoutTopics);

/** The first set-ups of this process. They have created what worlds share. */
const firstSetUps = new Map<string, Promise<void>>();

/** `setUpOwn` sets up what a world shares with no other. */
function createSharing(overrides: Overrides, setUpOwn: SetUp): Promise<World> {
  const { clickhouse, kafka } = readConfig({ ...stackEnv(), ...overrides });
  const { username, password, reader } = clickhouse;
  const access = {
    CLICKHOUSE_DATABASE: UNCOUNTED,
    CLICKHOUSE_USER: reader.username,
    CLICKHOUSE_PASSWORD: reader.password,
  };
  const shared = [clickhouse.url, ...kafka.brokers, overrides['KAFKA_TOPIC_PREFIX']].join(' ');
  // Only a copy has all tables of Postgres.
  const isCopied = overrides['DATABASE_URL'] === undefined;
  const [setUpFirst, setUpLater] = isCopied ? [setUpCounting, setUpOwn] : [setUp, setUp];
  const prepare: Prepare = async (config, log) => {
    const asOwner = { ...config, clickhouse: { ...config.clickhouse, username, password } };
    const first = firstSetUps.get(shared);
    if (first !== undefined) {
      await first;
      await setUpLater(asOwner, log);
      return;
    }
    // In the database of the stack: a world with an address of Postgres of its own takes the lock there itself.
    const { postgres: access } = readConfig(stackEnv());
    const own = withMigrationLock({ access, log }, async () => {
      await setUpFirst(asOwner, log);
      await computeVerdictsOnRequest(asOwner);
    });
    firstSetUps.set(shared, own);
    try {
      await own;
    } catch (error) {
      firstSetUps.delete(shared);
      throw error;
    }
  };
  return createWorld({ ...ONE_PARTITION, ...overrides, ...access }, { prepare });
}

/** What `setUp` does if the tables exist and the topics do not. */
async function setUpTopics(config: Config, log: Log): Promise<void> {
  const shards = openShards(config.clickhouse);
  try {
    await beginEpoch(shards, config.kafka.topics.counts);
  } finally {
    await shards.close();
  }
  const kafka = createKafka({ access: config.kafka, clientId: 'test', retries: 5, log });
  await createMissingTopics(kafka, topicPlans(config));
}
