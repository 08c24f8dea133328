import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { refreshVerdicts, runStatement } from '#core/clickhouse';
import { type Finding, examine } from '#tooling/operations';
import { type Config, readConfig } from '#base/runtime';
import { type OwnEngine, ownRedis } from '../../../support/stack/engines/own-engines.ts';
import { addStrayRow, removeStrayRow } from '../../../support/stack/engines/clickhouse/stray-row.ts';
import { setTopicConfig } from '../../../support/stack/engines/kafka/topic-config.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';
import { runCli } from '../../../support/stack/processes/cli.ts';
import { findingOf } from '../../../support/stack/doctor.ts';
import { type World, createWorld } from '../../../support/world.ts';
import { itByTurns } from '../../../support/nightly.ts';
import { checksOf } from './doctor-checks.ts';

/** The machine of the tests may have a full disk, and an old Redis. Its worlds connect as the owner. */
const OF_THE_MACHINE = ['ClickHouse disk', 'Redis', 'audit'];

const itInTurn = itByTurns(3);

describe('flagmeter doctor', () => {
  let world: World;
  let redis: OwnEngine;
  const sockets: Socket[] = [];

  before(async () => {
    redis = await ownRedis();
    world = await createWorld({ REDIS_URL: redis.address });
  });
  after(async () => {
    await world.dispose();
    await redis.dispose();
  });

  it('finds nothing wrong after the setup: a line for each check, and exit code 0', async () => {
    const { code, stdout, stderr } = await runCli(world, ['doctor']);
    const lines = stdout.trimEnd().split('\n');
    const checks = lines.slice(0, -1).map((line) => /^(ok {2}|warn|fail) {2}([^:]+): .+$/.exec(line));

    expect(stderr).to.equal('');
    expect(lines.filter((line) => line.startsWith('fail '))).to.deep.equal([]);
    expect(code).to.equal(0);
    expect(checks.map((match) => match?.[2])).to.deep.equal(checksOf(world.config.kafka.topics));
    const others = lines.filter(
      (line, index) => !line.startsWith('ok ') && !OF_THE_MACHINE.includes(checks[index]?.[2] ?? ''),
    );
    expect(others).to.deep.equal([lines.at(-1)]);
    expect(lines.at(-1)).to.match(
      /^32 checks: (29|30|31) ok, (1 warning|2 warnings|3 warnings), 0 failures\.$/,
    );
  });

  itInTurn('finds a changed setting of a topic, and a missing topic', async () => {
    const { counts } = world.config.kafka.topics;
    await setTopicConfig(world, counts, { name: 'cleanup.policy', value: 'compact' });
    expect((await findingOf(`topic ${counts}`, world.config)).text).to.include(
      'cleanup.policy=compact instead of delete',
    );
    await setTopicConfig(world, counts, { name: 'retention.bytes', value: '1000000' });
    const found = await findingOf(`topic ${counts}`, world.config);
    await callCli(world, 'migrate');

    expect(found.state).to.equal('fail');
    expect(found.text).to.include('retention.bytes=1000000 instead of -1');
    expect(found.advice).to.equal('Run flagmeter migrate, which corrects this.');
    expect((await findingOf(`topic ${counts}`, world.config)).state).to.equal('ok');

    const other = configOf({ KAFKA_TOPIC_PREFIX: 'no-such' });
    expect((await findingOf('topic no-such.counts', other)).text).to.equal(
      'The topic no-such.counts does not exist.',
    );
  });

  itInTurn('finds a stray row in the accounting', async () => {
    const day = await addStrayRow(world);
    const { output, exitCode } = await callCli(world, 'doctor', '--json');
    await removeStrayRow(world);

    expect(exitCode).to.equal(1);
    const { isFine, checks } = JSON.parse(output) as { isFine: boolean; checks: Finding[] };
    expect(isFine).to.equal(false);
    const failures = checks.filter(({ state }) => state === 'fail');
    expect(failures.map(({ check }) => check)).to.deep.equal(['accounting']);
    expect(failures[0]?.text).to.include(`${day} usage_daily: blocks say`);
  });

  itInTurn(
    'finds a table without a deduplication window, one with another retention, and one in local time',
    async () => {
      const alter = (change: string) => runStatement(world.clickhouse, `alter table usage_daily ${change}`);
      await alter('modify setting non_replicated_deduplication_window = 0');
      await alter('modify ttl day + toIntervalMonth(7)');
      await alter('add column local_time DateTime');
      const findings = await examined();
      await alter('modify setting non_replicated_deduplication_window = 20000');
      await alter('modify ttl day + toIntervalMonth(25)');
      await alter('drop column local_time');

      expect(findings.get('ClickHouse deduplication')).to.include({
        state: 'fail',
        text: 'These tables remember fewer than 20000 INSERTs: usage_daily (0).',
      });
      expect(findings.get('ClickHouse retention')).to.include({
        state: 'warn',
        text: 'These tables keep their rows for another time than configured: usage_daily.',
      });
      expect(findings.get('ClickHouse time zone')).to.include({
        state: 'warn',
        advice: 'Find out who changed these tables: flagmeter stores times in UTC.',
      });
      expect(findings.get('ClickHouse time zone')?.text).to.match(
        / depend on it: usage_daily\.local_time\.$/,
      );
    },
  );

  itInTurn('finds an ingest process whose clock is ahead, and one whose clock is behind', async () => {
    const insert = (receipts: string) =>
      runStatement(
        world.clickhouse,
        `insert into blocks (topic, from_offset, to_offset, stored_at, appended_to, received_from, received_to)
         select '${world.config.kafka.topics.counts}', number, number + 1, now() - (4 - number) * 60 as stored_at, stored_at, ${receipts}
         from numbers(5)`,
      );
    const forget = () => runStatement(world.clickhouse, 'truncate table blocks');
    await insert('stored_at - 60, stored_at + 7');
    const ahead = await findingOf('ClickHouse receipts', world.config);
    await forget();
    await insert('stored_at - 60 - if(number = 3, 8, 20), stored_at');
    const behind = await findingOf('ClickHouse receipts', world.config);
    await forget();
    await insert('stored_at - 60 - if(number = 3, 0, 20), stored_at');
    const late = await findingOf('ClickHouse receipts', world.config);
    await forget();

    expect(ahead.state).to.equal('warn');
    expect(ahead.text).to.match(/^A batch was received 7\.0 s later than Kafka stored it/);
    expect(behind.state).to.equal('warn');
    expect(behind.text).to.match(/^In each minute, batches were received 8\.0 s earlier/);
    expect(late.state).to.equal('ok');
  });

  itInTurn('finds verdicts that ClickHouse cannot compute', async () => {
    await runStatement(world.clickhouse, 'rename table feature_copies to lost');
    const outcome = await refreshVerdicts(world.clickhouse).then(
      () => 'computed',
      () => 'failed',
    );
    const found = await findingOf('ClickHouse verdicts', world.config);
    await runStatement(world.clickhouse, 'rename table lost to feature_copies');
    await refreshVerdicts(world.clickhouse);

    expect(outcome).to.equal('failed');
    expect(found.state).to.equal('warn');
    expect(found.text).to.match(/^ClickHouse cannot compute \w+_snapshot: .*feature_copies/);
    expect(found.text).to.not.include('Stack trace');
    expect(found.text).to.match(/[^.]\.$/);
    expect((await findingOf('ClickHouse verdicts', world.config)).text).to.match(
      /^ClickHouse computed the verdicts \d+ s/,
    );
  });

  itInTurn('finds missing migrations', async () => {
    await world.db.query("delete from migrations where name = '0008_history'");
    const { rows } = await world.db.query('select 1 from migrations');
    const found = await findingOf('Postgres migrations', world.config);
    await world.db.query("insert into migrations (name, run_on) values ('0008_history', now())");

    expect(rows).to.not.have.length(0);
    expect(found).to.include({ state: 'fail', text: 'These migrations are missing: 0008_history.' });
    const empty = configOf({ CLICKHOUSE_DATABASE: 'no_such' });
    expect((await findingOf('ClickHouse migrations', empty)).advice).to.equal('Run flagmeter migrate.');
  });

  itInTurn('finds a Postgres that only reads', async () => {
    const readingOnly = new URL(world.config.postgres.url);
    readingOnly.searchParams.set('options', '-c default_transaction_read_only=on');
    const found = await findingOf('Postgres changes', configOf({ DATABASE_URL: readingOnly.toString() }));
    expect(found).to.include({ state: 'fail' });
    expect(found.text).to.include('Postgres only reads');
  });

  itInTurn('finds a Redis that is a replica', async () => {
    const primary = await ownRedis();
    const client = new Redis(redis.address);
    const { hostname, port } = new URL(primary.address);
    await client.replicaof(hostname, port);
    const found = await findingOf('Redis role', world.config);
    await client.replicaof('NO', 'ONE');
    client.disconnect();
    await primary.dispose();
    expect(found).to.include({ state: 'fail', advice: 'Set REDIS_URL to the primary, in every process.' });
  });

  itInTurn('finds a disk that flagmeter backup cannot use, if it is named', async () => {
    for (const [disk, expected] of [
      ['backups', { state: 'ok', text: 'The server allows backups on the disk backups.' }],
      ['no-such', { state: 'fail', text: 'There is no disk no-such.' }],
      ['objects', { state: 'fail', advice: 'Use the type s3_plain.' }],
      [
        'default',
        {
          state: 'fail',
          text: 'The server does not allow backups on the disk default.',
          advice: 'Add <backups><allowed_disk>default</allowed_disk></backups> to its configuration.',
        },
      ],
    ] as const) {
      const { output } = await callCli(world, 'doctor', '--json', '--backup-disk', disk);
      const { checks } = JSON.parse(output) as { checks: Finding[] };
      expect(checks.find(({ check }) => check === 'ClickHouse backup disk')).to.include(expected);
    }
  });

  itInTurn('finds a clock that differs', async () => {
    const findings = await examine(world.config, world.log, { now: () => Date.now() + 120_000 });
    for (const engine of ['ClickHouse', 'Postgres', 'Redis']) {
      const found = findings.find(({ check }) => check === `${engine} clock`);
      expect(found?.state).to.equal('fail');
      expect(found?.text).to.match(/^The clock is 1[12]\d\.\d{3} s behind this host/);
    }
  });

  itInTurn('reports an unavailable engine in one line, and makes the checks of the others', async () => {
    await redis.stop();
    const findings = await examined(configOf({ CLICKHOUSE_URL: 'http://127.0.0.1:9' }));
    await redis.revive();

    expect(findings.get('Redis')).to.include({
      state: 'fail',
      text: 'Redis cannot be reached: nothing listens at its address.',
    });
    expect(findings.get('Redis clock')).to.include({
      state: 'warn',
      text: 'Not checked: Redis cannot be used.',
    });
    expect(findings.get('ClickHouse')?.text).to.equal(
      'ClickHouse cannot be reached: nothing listens at its address.',
    );
    expect(findings.get('accounting')?.state).to.equal('warn');
    expect(findings.get('accounting')?.text).to.match(/^Not checked: ClickHouse cannot be read/);
    for (const { text } of findings.values()) expect(text).to.match(/[^.]\.$/);
    expect(findings.get('Kafka')?.state).to.equal('ok');
    expect(findings.get('Postgres migrations')?.state).to.equal('ok');
  });

  itInTurn('gives up engines that accept connections and do not answer', async () => {
    const mute = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const address = `127.0.0.1:${(mute.address() as AddressInfo).port}`; // it listens on a port
    const { code, stdout } = await runCli(world, ['doctor', '--json'], {
      KAFKA_BROKERS: address,
      CLICKHOUSE_URL: `http://${address}`,
      DATABASE_URL: `postgres://nobody@${address}/none`,
      REDIS_URL: `redis://${address}`,
    });
    for (const socket of sockets) socket.destroy();
    mute.close();

    expect(code).to.equal(1);
    const { checks } = JSON.parse(stdout) as { checks: Finding[] };
    for (const engine of ['Kafka', 'ClickHouse', 'Postgres', 'Redis']) {
      const found = checks.find(({ check }) => check === engine);
      expect(found?.state).to.equal('fail');
      expect(found?.text).to.match(new RegExp(`^${engine} cannot be (reached|used): `));
    }
  });

  function configOf(settings: Record<string, string>): Config {
    return readConfig({ ...world.env, ...settings });
  }

  async function examined(config = world.config): Promise<Map<string, Finding>> {
    return new Map((await examine(config, world.log)).map((finding) => [finding.check, finding]));
  }
});
