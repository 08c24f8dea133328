import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { getPriority } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { Kafka, logLevel } from 'kafkajs';
import pg from 'pg';
import { createMissingTopics, readTopics } from '#core/kafka';
import {
  type StackAddresses,
  cleanStack,
  downStack,
  freePort,
  inspectStack,
  isAlive,
  upStack,
} from '../../../../tools/stack/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { describeNightly } from '../../../support/nightly.ts';

const repository = path.resolve(import.meta.dirname, '../../../..');
const reports: string[] = [];

describeNightly('free ports', () => {
  it('are all different, and none is in the range of outgoing connections', async () => {
    const ports = await Promise.all(Array.from({ length: 100 }, () => freePort()));

    expect(new Set(ports)).to.have.property('size', ports.length);
    expect(ports.filter((port) => port >= 32_768)).to.deep.equal([]);
  });
});

describeNightly('the local stack', () => {
  let directory: string;
  let addresses: StackAddresses;

  before(async () => {
    await mkdir(path.join(repository, '.local'), { recursive: true });
    directory = await mkdtemp(path.join(repository, '.local', 'stack-test-'));
    // As an earlier run left them.
    for (const folder of ['logs', 'data/clickhouse'])
      await mkdir(path.join(directory, folder), { recursive: true, mode: 0o755 });
    await chmod(directory, 0o755);
    addresses = await up();
    await storeInAll(addresses, 'first');
  });

  after(async () => {
    await cleanStack(directory);
    await rm(directory, { recursive: true });
  });

  it('answers in the protocol of each engine', async () => {
    expect(await readFromAll(addresses)).to.deep.equal(stored('first'));
  });

  it('lets no other user read a file or list a folder', async () => {
    const folders = [
      '.',
      'data',
      'logs',
      'run',
      ...(await readdir(path.join(directory, 'data'))).map((name) => `data/${name}`),
    ];
    const inside = ['.', 'data'].map((name) => path.join(directory, name));
    const files = (await Promise.all(inside.map((folder) => readdir(folder, { withFileTypes: true }))))
      .flat()
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name));
    const modes = [...folders.map((name) => path.join(directory, name)), ...files].map(async (place) => {
      const { mode } = await stat(place);
      return (mode & 0o066) === 0 ? [] : `${place} ${mode.toString(8)}`;
    });

    expect(folders).to.include.members(['data/clickhouse', 'data/kafka', 'data/postgres']);
    expect((await Promise.all(modes)).flat()).to.deep.equal([]);
  });

  it('is not changed by a second `up`', async () => {
    const before = await inspectStack(directory);

    expect(await up()).to.deep.equal(addresses);
    expect(reports.at(-1)).to.equal('the stack is already up');
    expect(await inspectStack(directory)).to.deep.equal(before);
  });

  it('lets ClickHouse give way to programs on the same cores', async () => {
    const pid = await pidOf('clickhouse');

    expect(getPriority(pid)).to.be.at.least(5);
    expect(nicenessOfSession(pid)).to.be.at.least(5);
  });

  it('restarts an engine that dies by itself, on the same port and with its data', async () => {
    await kill(await pidOf('clickhouse'));
    await kill(await pidOf('postgres'));
    await allServe();

    expect(await readFromAll(addresses)).to.deep.equal(stored('first'));
  });

  it('keeps its data when the supervisor is killed and the stack started again', async () => {
    const orphans = await livePids();
    await kill((await inspectStack(directory)).supervisorPid);
    addresses = await up();

    expect(reports).to.include('stopped the processes of an earlier run');
    expect(await readFromAll(addresses)).to.deep.equal(stored('first'));
    expect(await survivorsOf(orphans)).to.deep.equal([]);
  });

  it('leaves no process behind after `down`', async () => {
    const pids = await livePids();

    expect(pids).to.have.length(4);
    expect(await downStack(directory)).to.equal(true);
    expect(await survivorsOf(pids)).to.deep.equal([]);
    expect(await downStack(directory)).to.equal(false);
  });

  function up(): Promise<StackAddresses> {
    return upStack({ directory, freePorts: true, report: (line) => reports.push(line) });
  }

  async function livePids(): Promise<number[]> {
    const { supervisorPid, engines } = await inspectStack(directory);
    return [supervisorPid, ...engines.map(({ pid }) => pid)].filter((pid) => pid !== undefined);
  }

  async function pidOf(engine: string): Promise<number | undefined> {
    return (await inspectStack(directory)).engines.find(({ name }) => name === engine)?.pid;
  }

  async function allServe(): Promise<void> {
    await eventually(
      () => inspectStack(directory),
      ({ engines }) => engines.every(({ isServing }) => isServing),
    );
  }
});

const topic = 'stack-test';

type Stored = { kafka: string[]; clickhouse: string; postgres: unknown[] };

function stored(value: string): Stored {
  return { kafka: [topic], clickhouse: value, postgres: [{ value }] };
}

async function storeInAll(addresses: StackAddresses, value: string): Promise<void> {
  await createMissingTopics(kafkaAt(addresses), [{ topic, partitions: 1, replicationFactor: 1, config: {} }]);
  await clickhouse(addresses, 'create database stack_test');
  await clickhouse(
    addresses,
    'create table stack_test.kept (value String) engine = MergeTree order by value',
  );
  await clickhouse(addresses, `insert into stack_test.kept values ('${value}')`);
  await postgres(addresses, 'create database stack_test');
  await postgres(addresses, 'create table kept (value text)');
  await postgres(addresses, `insert into kept values ('${value}')`);
}

async function readFromAll(addresses: StackAddresses): Promise<Stored> {
  return {
    kafka: [...(await readTopics(kafkaAt(addresses)))],
    clickhouse: await clickhouse(addresses, 'select value from stack_test.kept'),
    postgres: await postgres(addresses, 'select value from kept'),
  };
}

function kafkaAt(addresses: StackAddresses): Kafka {
  return new Kafka({ brokers: addresses.KAFKA_BROKERS.split(','), logLevel: logLevel.NOTHING });
}

async function clickhouse(addresses: StackAddresses, query: string): Promise<string> {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: user, CLICKHOUSE_PASSWORD: password } = addresses;
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  const answer = await fetch(url, { method: 'POST', body: query, headers });
  const text = (await answer.text()).trim();
  if (!answer.ok) throw new Error(text);
  return text;
}

async function postgres(addresses: StackAddresses, query: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: addresses.DATABASE_URL });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(query)).rows;
  } finally {
    await client.end();
  }
}

/** Kills the process and waits until the pid file cannot match a living process any more. */
/** The niceness of the session of a process, if this system has such a thing. */
function nicenessOfSession(pid: number | undefined): number {
  if (!existsSync('/proc/self/autogroup')) return 5;
  return Number(readFileSync(`/proc/${pid ?? 'none'}/autogroup`, 'utf8').split(' nice ')[1]);
}

async function kill(pid: number | undefined): Promise<void> {
  if (pid === undefined) throw new Error('there is no process to kill');
  process.kill(pid, 'SIGKILL');
  while (await isAlive(pid)) await sleep(10);
}

async function survivorsOf(pids: readonly number[]): Promise<number[]> {
  const alive = await Promise.all(pids.map(isAlive));
  return pids.filter((_pid, index) => alive[index]);
}
