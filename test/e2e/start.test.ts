import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { availableParallelism, getPriority, tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { createKafka, readWatermarks } from '#core/kafka';
import { createLog, readConfig } from '#base/runtime';
import { inheritedEnv } from '../../tools/clock/inherited-env.ts';
import { cleanStack, descendantsOf, freePort, inspectStack, isAlive } from '../../tools/stack/index.ts';
import { CURIOUS_QUERIES, STRANGERS, isAnswered, isLetIn } from '../support/attacks/engine-ports.ts';
import { DEFAULT_PORTS, occupyDefaultPorts } from '../support/stack/engines/default-ports.ts';
import { sourcedVariables } from '../support/stack/engines/sourced-variables.ts';
import { eventually } from '../support/eventually.ts';
import { itNightly } from '../support/nightly.ts';
import { CLI_COMMAND } from '../support/stack/processes/cli.ts';
import { FROM_SOURCES } from '../../tools/run/from-sources.ts';

const run = promisify(execFile);
/** On two cores that many tests share, engines and services take minutes to start. A failure ends the program, which is noticed at once. */
const START_MS = 280_000;
const START = [...FROM_SOURCES, 'tools/run/start.ts'] as const;
const PASTED_BATCH = { yes: 3, no: 1 };

/** `make start` with its own directory and ports. */
type Start = {
  readonly pid: number;
  /** All output so far. */
  printed(): string;
  /** Runs the line with this beginning, of those to paste, in a shell. */
  paste(beginning: string): Promise<string>;
  /** Sends SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
};

describe('make start', () => {
  let directory: string;
  let start: Start;
  let releasePorts: () => void;
  const children: ChildProcess[] = [];

  before(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'flagmeter-start-'));
    releasePorts = await occupyDefaultPorts();
    start = await launch();
  });
  after(async () => {
    for (const child of children) child.kill('SIGKILL');
    releasePorts();
    await cleanStack(directory);
    await rm(directory, { recursive: true, force: true });
  });

  async function launch(): Promise<Start> {
    const child = spawn(process.execPath, [...START, '--directory', directory], {
      env: { ...inheritedEnv(), PORT: String(await freePort()) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    const exited = once(child, 'exit') as Promise<[number | null]>;
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    }
    await eventually(
      () => Promise.resolve({ printed, exitCode: child.exitCode }),
      (now) => /flagmeter is ready[^]*first-steps.txt/.test(now.printed) || now.exitCode !== null,
      START_MS,
    );
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}:\n${printed}`);
    return {
      pid: child.pid ?? 0,
      printed: () => printed,
      async paste(beginning) {
        const steps = await readFile(path.join(directory, 'first-steps.txt'), 'utf8');
        const line = steps.split('\n').find((text) => text.startsWith(beginning)) ?? '';
        return (await run('bash', ['-c', line])).stdout;
      },
      async stop() {
        child.kill('SIGTERM');
        return (await exited)[0];
      },
    };
  }

  /** Runs the query to paste until it shows the evaluations of so many sent batches. */
  async function readsBack(batches: number): Promise<void> {
    const expected = { yes: batches * PASTED_BATCH.yes, no: batches * PASTED_BATCH.no };
    const shown = await eventually(
      async () => sumRows(await start.paste('curl -sS')),
      ({ yes }) => yes >= expected.yes,
    );
    expect(shown).to.deep.equal(expected);
  }

  async function workerPid(): Promise<number> {
    const log = await readFile(path.join(directory, 'logs', 'flagmeter.log'), 'utf8');
    const pids = [...log.matchAll(/"service":"worker","pid":(\d+)/g)].map(([, pid]) => Number(pid));
    return pids.at(-1) ?? 0;
  }

  function stackEnv(): Promise<Record<string, string>> {
    return sourcedVariables(path.join(directory, 'stack.env'));
  }

  async function countPartitions(): Promise<number> {
    const { kafka } = readConfig(await stackEnv());
    const log = createLog('test', 'error');
    const client = createKafka({ access: kafka, clientId: 'test', retries: 2, log });
    return (await readWatermarks(client, kafka.topics.counts)).size;
  }

  it('keeps a line that sends a batch and one that reads it back', async () => {
    expect(await start.paste('curl -i')).to.match(/^HTTP\/1\.1 202 /);
    await readsBack(1);
  });

  it('uses free ports for the engines if the default ones are taken', () => {
    const moved = [...start.printed().matchAll(/^port (\d+) is taken, so \w+ gets port \d+$/gm)];
    expect(moved.map(([, port]) => Number(port))).to.deep.equal(DEFAULT_PORTS);
  });

  it('keeps secrets in files that only their owner can read', async () => {
    const files = ['tokens.env', 'first-steps.txt', 'stack.env', 'passwords.env'];
    const { stdout } = await run('stat', ['-c', '%a', ...files.map((name) => path.join(directory, name))]);
    expect(stdout.trim().split('\n')).to.deep.equal(files.map(() => '600'));
  });

  it('prints no secret, because its output is not a terminal', async () => {
    const kept = await Promise.all(
      ['tokens.env', 'passwords.env'].map((name) => readFile(path.join(directory, name), 'utf8')),
    );
    const secrets = kept.flatMap((text) => text.match(/[0-9a-f]{40,}/g) ?? []);
    expect(secrets).to.have.length.of.at.least(6);
    expect(secrets.filter((secret) => start.printed().includes(secret))).to.deep.equal([]);
  });

  it('has a partition for each core, and at least two', async () => {
    expect(await countPartitions()).to.equal(Math.min(Math.max(availableParallelism(), 2), 16));
  });

  it('writes to stack.env all that flagmeter doctor needs to find no failure', async () => {
    const { output } = await outcomeOf([...CLI_COMMAND, 'doctor'], await stackEnv());
    expect(output).to.match(/^\d+ checks: /m);
    expect(output.split('\n').filter((line) => line.startsWith('fail'))).to.deep.equal([]);
  });

  it('answers no stranger at the port of ClickHouse, who reads no file and no stored data, and changes nothing', async () => {
    const {
      CLICKHOUSE_URL: url = '',
      CLICKHOUSE_USER: user = '',
      CLICKHOUSE_PASSWORD: password = '',
    } = await stackEnv();
    for (const query of CURIOUS_QUERIES)
      for (const stranger of STRANGERS) expect(await isAnswered(url, query, stranger), query).to.equal(false);
    expect(await isAnswered(url, 'select 1', { user, password })).to.equal(true);
  });

  it('lets no stranger log in to Postgres, least of all as the superuser, who may run programs', async () => {
    const own = new URL((await stackEnv())['DATABASE_URL'] ?? '');
    const port = Number(own.port);
    expect(await isLetIn(port, own.username, own.password)).to.equal(true);
    expect(await isLetIn(port, 'postgres', own.password)).to.equal(false);
    for (const user of ['postgres', 'flagmeter'])
      for (const password of ['', 'guess']) expect(await isLetIn(port, user, password), user).to.equal(false);
  });

  it('lets the worker give way to ingest', async () => {
    expect(getPriority(await workerPid())).to.be.at.least(5);
  });

  itNightly('restarts a killed worker, which continues to count', async () => {
    const killed = await workerPid();
    process.kill(killed, 'SIGKILL');
    expect(await start.paste('curl -i')).to.match(/^HTTP\/1\.1 202 /);
    await readsBack(2);
    expect(await workerPid()).not.to.equal(killed);
  });

  it('stops everything on SIGTERM, including the engines, and exits with 0', async () => {
    const { engines, supervisorPid } = await inspectStack(directory);
    const pids = [...engines.map(({ pid }) => pid), supervisorPid, ...(await descendantsOf([start.pid]))];
    expect(pids.length).to.be.at.least(8);
    expect(await start.stop()).to.equal(0);
    const left = await eventually(
      () => Promise.all(pids.map((pid) => isAlive(pid ?? 0))),
      (alive) => !alive.includes(true),
    );
    expect(left).not.to.include(true);
  });

  itNightly('continues with the stored data', async () => {
    start = await launch();
    await readsBack(2);
    expect(await start.paste('curl -i')).to.match(/^HTTP\/1\.1 202 /);
    await readsBack(3);
    expect(await start.stop()).to.equal(0);
  });

  // By day, test/unit/tooling/stack/port.test.ts has the message.
  itNightly('rejects a taken PORT, and names it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // an address is a string for pipes only
    try {
      const command = [...START, '--directory', directory];
      const { code, output } = await outcomeOf(command, { PORT: String(port) });
      expect(output).to.include(`Port ${port} is taken`).and.include('PORT=');
      expect(code).to.equal(1);
    } finally {
      server.close();
    }
  });
});

/** Runs a program to its end. Returns its exit code and all its output. */
async function outcomeOf(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, command, {
    env: { ...inheritedEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** Sums over the table that the query prints, because the hour may change between two batches. */
function sumRows(table: string): { yes: number; no: number } {
  const sum = { yes: 0, no: 0 };
  for (const [, yes, no] of table.matchAll(/first-feature\s*│ curl\s*│\s*(\d+) │\s*(\d+) │/g)) {
    sum.yes += Number(yes);
    sum.no += Number(no);
  }
  return sum;
}
