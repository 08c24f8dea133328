import { join } from 'node:path';
import { createTokens } from '#base/auth';
import { beginEpoch, openShards, readCurrentEpoch, shareEpoch } from '#core/clickhouse';
import {
  type Kafka,
  countMembers,
  createKafka,
  createMissingTopics,
  readTopics,
  rejectHidden,
} from '#core/kafka';
import { grantToService, migratePostgres, openPostgres, withMigrationLock } from '#base/postgres';
import { type Config, FlagmeterError, type Log, engineError, isAccessDenied } from '#base/runtime';
import { type NewToken, SAFE_SECRET_LENGTH, secretLength } from '#base/tokens';
import { GRANTS } from './grants.ts';
import { MIGRATIONS, setUpTables } from './tables.ts';
import { mendTopics, topicPlans } from './topics.ts';

/**
 * Prepares the engines for the services: tables, views, topics and the initial tokens. It is idempotent. Several processes may
 * run it at once: one works, and the others wait and find nothing left to do.
 */
export async function setUp(config: Config, log: Log): Promise<void> {
  await withMigrationLock({ access: config.postgresOwner, log }, async () => {
    await setUpPostgres(config, log);
    await setUpCounting(config, log);
  });
}

/** Creates the tables of Postgres, the rights of the services on them, and the initial tokens. */
export async function setUpPostgres(config: Config, log: Log): Promise<void> {
  await migratePostgres(config.postgresOwner, join(MIGRATIONS, 'postgres'), log);
  await setUpAudit(config, log);
  await createInitialTokens(config, log);
}

/**
 * Creates the tables and views of ClickHouse first, then the epoch, then the topics. A topic must not exist without its epoch, which
 * distinguishes its offsets from those of earlier topics.
 */
export async function setUpCounting(config: Config, log: Log): Promise<void> {
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-setup', retries: 5, log });
  const shards = openShards(config.clickhouse);
  try {
    await setUpTables(config, log);
    const { counts } = config.kafka.topics;
    const existing = await readTopics(kafka);
    // A new epoch for a topic that exists would count its messages again.
    if (!existing.has(counts)) await rejectHidden(kafka, counts);
    const epoch = await readCurrentEpoch(shards, counts);
    if (!existing.has(counts) && epoch > 0) await failIfConsumed(kafka, config);
    const isNew = !existing.has(counts) || epoch === 0;
    await (isNew ? beginEpoch(shards, counts) : shareEpoch(shards, counts));
    const plans = topicPlans(config);
    await mendTopics(
      kafka,
      plans.filter(({ topic }) => existing.has(topic)),
      { config, log },
    );
    await createMissingTopics(kafka, plans);
  } catch (error) {
    throw isAccessDenied(error) ? engineError('Kafka', error) : error;
  } finally {
    await shards.close();
  }
}

/** A consumer does not notice that its topic is another one: it would skip messages, or store them in the old epoch. */
async function failIfConsumed(kafka: Kafka, { kafka: { groupPrefix, topics } }: Config): Promise<void> {
  for (const group of [`${groupPrefix}-counts`, `${groupPrefix}-mirror`]) {
    const members = await countMembers(kafka, group);
    if (members === 0) continue;
    throw new FlagmeterError(
      'worker-running',
      `${topics.counts} is lost and must be created again, but ${members} processes of the group ${group} run: stop every worker and the process for Unleash first`,
    );
  }
}

/** Services can neither change nor delete entries, unless they connect as the owner. */
async function setUpAudit({ postgres, postgresOwner, retention }: Config, log: Log): Promise<void> {
  await grantToService(postgresOwner, postgres, GRANTS);
  const db = openPostgres({ ...postgresOwner, maxConnections: 1, log });
  try {
    await db.query('update audit_settings set retention_days = $1', [retention.auditDays]);
  } finally {
    await db.end();
  }
}

async function createInitialTokens({ postgres, initialTokens }: Config, log: Log): Promise<void> {
  for (const { name, environment } of initialTokens.filter(isGuessable))
    log.warn(
      { tokenName: name, environment, minCharacters: SAFE_SECRET_LENGTH },
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
