import { join } from 'node:path';
import { type NewToken, SAFE_SECRET_LENGTH, longestMessageBytes, secretLength } from '#domain';
import { type Config, FlagmeterError, type Log, projectRoot } from '#runtime';
import {
  beginEpoch,
  createBlocks,
  createTokens,
  migrateClickHouse,
  migratePostgres,
  openClickHouse,
  openPostgres,
  withMigrationLock,
} from '#stores';
import {
  type Kafka,
  type TopicPlan,
  changeTopic,
  createKafka,
  createMissingTopics,
  readTopicStates,
  readTopics,
} from '#stream';
import { judgeTopic } from './judge-topic.ts';

export { reachEngines } from './reach.ts';

/**
 * Makes the engines ready for the services: tables, views, topics and the initial tokens. May be repeated, and may
 * run in several processes at once: one works, the others wait and find everything done.
 */
export async function setUp(config: Config, log: Log): Promise<void> {
  await withMigrationLock(config.postgres, async () => {
    await migratePostgres(config.postgres, join(migrations, 'postgres'), log);
    await setUpCounting(config, log);
    await createInitialTokens(config, log);
  });
}

const migrations = join(projectRoot(import.meta.dirname), 'infra', 'migrations');

/** Creates or updates the tables and views of a ClickHouse database, and nothing else. */
export async function setUpTables({ clickhouse }: Pick<Config, 'clickhouse'>, log: Log): Promise<void> {
  const server = openClickHouse({ ...clickhouse, database: 'default' });
  const db = openClickHouse(clickhouse);
  try {
    await migrateClickHouse(server, db, { ...clickhouse, directory: join(migrations, 'clickhouse'), log });
  } finally {
    await server.close();
    await db.close();
  }
}

/** Tables first, then the epoch, then the topics: a topic must not exist without the epoch that tells its offsets apart. */
async function setUpCounting(config: Config, log: Log): Promise<void> {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-setup', retries: 5, log });
  const db = openClickHouse(config.clickhouse);
  try {
    await setUpTables(config, log);
    const { counts } = config.kafka.topics;
    const existing = await readTopics(kafka);
    if (!existing.has(counts) || (await createBlocks(db).readEpoch(counts)) === 0)
      await beginEpoch(db, counts);
    const plans = topicPlans(config);
    await mendTopics(
      kafka,
      plans.filter(({ topic }) => existing.has(topic)),
      { config, log },
    );
    await createMissingTopics(kafka, plans);
  } finally {
    await db.close();
  }
}

/** Kafka's own default; a group of small messages needs a part of it, whatever MAX_BODY_BYTES is. */
const LEAST_MESSAGE_BYTES = 1_048_588;
/** What Kafka adds to a message, and the worker to one that is dead. */
const WRAPPING_BYTES = 4096;

function topicPlans({ kafka, ingest }: Config): TopicPlan[] {
  const { replicationFactor, topics } = kafka;
  const messageBytes = longestMessageBytes(ingest.maxBodyBytes) + WRAPPING_BYTES;
  const config = {
    'min.insync.replicas': String(kafka.minInsyncReplicas),
    'retention.ms': String(kafka.retentionMs),
    'retention.bytes': '-1',
    'cleanup.policy': 'delete',
    // The worker trusts the broker's clock more than that of any ingest process.
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(Math.max(messageBytes, LEAST_MESSAGE_BYTES)),
  };
  return [
    { topic: topics.counts, partitions: kafka.countsPartitions, replicationFactor, config },
    { topic: topics.applications, partitions: kafka.applicationsPartitions, replicationFactor, config },
    { topic: topics.deadLetters, partitions: 1, replicationFactor, config },
  ];
}

/** Brings existing topics to their plans; changes nothing where that is for an operator, and says so. */
async function mendTopics(
  kafka: Kafka,
  plans: readonly TopicPlan[],
  { config, log }: { readonly config: Config; readonly log: Log },
): Promise<void> {
  if (plans.length === 0) return;
  const { states, brokers } = await readTopicStates(
    kafka,
    plans.map(({ topic }) => topic),
  );
  const cluster = { address: config.kafka.brokers.join(), brokers };
  const judgements = plans.flatMap((plan) =>
    states.filter(({ topic }) => topic === plan.topic).map((state) => judgeTopic(plan, state, cluster)),
  );
  const problems = judgements.flatMap((judgement) => judgement.problems);
  if (problems.length > 0) throw new FlagmeterError('topics', problems.join('\n'));
  for (const { change } of judgements) {
    if (change.partitions === undefined && Object.keys(change.config).length === 0) continue;
    await changeTopic(kafka, change);
    log.info({ change }, 'topic changed');
  }
}

async function createInitialTokens({ postgres, initialTokens }: Config, log: Log): Promise<void> {
  for (const { name, environment } of initialTokens.filter(isGuessable))
    log.warn(
      { name, environment, leastCharacters: SAFE_SECRET_LENGTH },
      'initial token with a short secret, which can be guessed',
    );
  const db = openPostgres({ ...postgres, log });
  try {
    const tokens = createTokens(db);
    for (const token of initialTokens) await tokens.create(token);
  } finally {
    await db.end();
  }
}

function isGuessable({ secret }: NewToken): boolean {
  return secretLength(secret) < SAFE_SECRET_LENGTH;
}
