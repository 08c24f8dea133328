import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { type ClickHouse, openClickHouse, readRows, runStatement } from '#core/clickhouse';
import { createKafka, readPartitionCount } from '#core/kafka';
import { setUp } from '#tooling/operations';
import { type Postgres, openPostgres, withMigrationLock } from '#base/postgres';
import { type Config, FlagmeterError, readConfig } from '#base/runtime';
import type { NewToken } from '#base/tokens';
import { collectLog } from '../../support/stack/processes/collected-log.ts';
import { sharedWorld } from '../../support/world.ts';

const WARNING = 40;
const NEW_TOKEN: NewToken = {
  secret: '*:production.a-new-secret',
  name: 'new',
  type: 'client',
  environment: 'production',
  projects: [],
  expiresAt: undefined,
};

describe('setting the engines up', () => {
  const name = `fresh_${randomBytes(5).toString('hex')}`;
  const world = sharedWorld();
  let config: Config;
  let clickhouse: ClickHouse;
  let db: Postgres;
  const logged = collectLog();

  before(async () => {
    await world.db.query(`create database ${name}`);
    const databaseUrl = new URL(world.config.postgres.url);
    databaseUrl.pathname = `/${name}`;
    config = readConfig({
      ...world.env,
      DATABASE_URL: databaseUrl.toString(),
      CLICKHOUSE_DATABASE: name,
      KAFKA_TOPIC_PREFIX: name,
    });
    await Promise.all([setUp(config, logged.log), setUp(config, logged.log)]);
    clickhouse = openClickHouse(config.clickhouse);
    db = openPostgres({ ...config.postgres, log: world.log });
  });
  after(async () => {
    await runStatement(clickhouse, `drop database ${name} sync`);
    await clickhouse.close();
    await db.end();
    // Without force, which would need the right to end an autovacuum worker.
    await world.db.query(`drop database ${name}`);
  });

  it('fails if it loses the connection that keeps other migrations out', async () => {
    const failure = await withMigrationLock({ access: config.postgres, log: world.log }, async () => {
      await db.query(`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`);
    }).catch((error: unknown) => error);
    expect(failure)
      .to.be.instanceOf(FlagmeterError)
      .with.property('message')
      .that.includes('run the command again');
  });

  it('applies every migration once if two processes set up at the same time', async () => {
    const applied = await readRows<{ name: string }>(clickhouse, 'select name from migrations order by name');
    expect(applied.map((row) => row.name)).to.deep.equal(await sqlFiles('clickhouse'));
    const { rows } = await db.query<{ name: string }>('select name from migrations order by name');
    expect(rows.map((row) => `${row.name}.sql`)).to.deep.equal(await sqlFiles('postgres'));
  });

  it('lets ClickHouse compute verdicts every minute, and all else every ten', async () => {
    const computed = await readRows<{ name: string; pause: string }>(
      clickhouse,
      `select name, extract(create_table_query, ' REFRESH AFTER (\\d+ \\w+)') as pause
       from system.tables
       where database = currentDatabase() and pause != ''
       order by name`,
    );
    expect(Object.fromEntries(computed.map(({ name, pause }) => [name, pause]))).to.deep.equal({
      experiment_snapshot: '10 MINUTE',
      feature_days_refresh: '10 MINUTE',
      feature_verdict_snapshot: '1 MINUTE',
      flag_debt_snapshot: '10 MINUTE',
    });
  });

  it('creates topics, one epoch and every initial token once', async () => {
    const kafka = createKafka({ access: config.kafka, clientId: name, retries: 5, log: world.log });
    expect(await readPartitionCount(kafka, config.kafka.topics.counts)).to.equal(2);
    const epochs = await readRows(clickhouse, 'select topic, epoch from topic_epochs');
    expect(epochs).to.deep.equal([{ topic: `${name}.counts`, epoch: 1 }]);
    const { rows } = await db.query('select 1 from api_tokens');
    expect(rows).to.have.length(config.initialTokens.length);
  });

  it('changes nothing when it is done again', async () => {
    const before = await readState();
    await setUp(config, logged.log);

    expect(await readState()).to.deep.equal(before);
  });

  it('completes a migration that was interrupted: every statement of ClickHouse may be repeated', async () => {
    const before = await readTables();
    await runStatement(clickhouse, 'truncate table migrations');
    await setUp(config, logged.log);

    expect(await readTables()).to.deep.equal(before);
  });

  it('logs no warnings, neither on new engines nor on engines that are set up', () => {
    expect(logged.lines().filter(({ level }) => Number(level) >= WARNING)).to.deep.equal([]);
  });

  it('adds a new initial token, keeps those that the variable no longer names, and revives no revoked one', async () => {
    const [first] = (await createTokens(db).list()).map(({ id }) => id);
    await createTokens(db).revoke(first ?? '');
    await setUp({ ...config, initialTokens: [...config.initialTokens.slice(0, 1), NEW_TOKEN] }, logged.log);

    const tokens = await createTokens(db).list();
    expect(tokens).to.have.length(config.initialTokens.length + 1);
    expect(tokens.filter(({ revokedAt }) => revokedAt !== undefined).map(({ id }) => id)).to.deep.equal([
      first,
    ]);
  });

  it('warns at each start of an initial token with a short secret, and never logs the secret', async () => {
    const { log, lines } = collectLog();
    await setUp({ ...config, initialTokens: [...config.initialTokens, NEW_TOKEN] }, log);

    const warnings = lines().filter(({ level }) => Number(level) >= WARNING);
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ tokenName: 'new', environment: 'production' });
    expect(JSON.stringify(lines())).not.to.include(NEW_TOKEN.secret);
  });

  function readTables(): Promise<unknown[]> {
    return readRows(
      clickhouse,
      `select name, create_table_query
       from system.tables
       where database = currentDatabase()
         and not startsWith(name, '.')
       order by name`,
    );
  }

  async function readState(): Promise<unknown> {
    return {
      tables: await readTables(),
      migrations: await readRows(clickhouse, 'select * from migrations order by name'),
      epochs: await readRows(clickhouse, 'select * from topic_epochs'),
      tokens: (await db.query('select * from api_tokens order by id')).rows,
      postgres: (await db.query('select * from migrations order by id')).rows,
    };
  }
});

async function sqlFiles(engine: string): Promise<string[]> {
  return (await readdir(`infra/migrations/${engine}`)).filter((file) => file.endsWith('.sql')).sort();
}
