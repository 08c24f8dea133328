import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { cleanStack, freePort, inspectStack } from '../../../../tools/stack/index.ts';
import { DEFAULT_PORTS, occupyDefaultPorts } from '../../../support/stack/engines/default-ports.ts';
import { sourcedVariables } from '../../../support/stack/engines/sourced-variables.ts';
import { describeNightly } from '../../../support/nightly.ts';
import { FROM_SOURCES } from '../../../../tools/run/from-sources.ts';

const run = promisify(execFile);
const repository = path.resolve(import.meta.dirname, '../../../..');
const local = path.join(repository, '.local');

describeNightly('make stack', () => {
  let directory: string;
  let releasePorts: () => void;

  before(async () => {
    await mkdir(local, { recursive: true });
    directory = await mkdtemp(path.join(local, 'stack-test-'));
    releasePorts = await occupyDefaultPorts();
  });

  after(async () => {
    releasePorts();
    await cleanStack(directory);
    await rm(directory, { recursive: true });
  });

  it('takes free ports instead of taken ones, and prints them', async () => {
    const { stdout } = await up(directory);

    const moves = [...stdout.matchAll(/^port (\d+) is taken, so (\w+) gets port (\d+)$/gm)];
    expect(moves.map(([, defaultPort]) => Number(defaultPort))).to.deep.equal(DEFAULT_PORTS);
    for (const [, , engine, port] of moves) {
      expect(stdout).to.match(new RegExp(`^${engine} is ready at .*127\\.0\\.0\\.1:${port}\\b`, 'm'));
    }
    const { engines } = await inspectStack(directory);
    expect(engines.map(({ isServing }) => isServing)).to.deep.equal([true, true, true]);
  });

  it('finds its own engines again instead of starting others', async () => {
    const before = await inspectStack(directory);
    const { stdout } = await up(directory);

    expect(stdout).to.match(/^the stack is already up$/m);
    expect(await inspectStack(directory)).to.deep.equal(before);
  });

  it('writes addresses that a shell and its programs get with `source`', async () => {
    const { engines } = await inspectStack(directory);
    const variables = await sourcedVariables(path.join(directory, 'stack.env'));

    const names = ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'DATABASE_URL'];
    expect(names.map((name) => variables[name])).to.deep.equal(engines.map(({ address }) => address));
    expect(variables['REDIS_URL']).to.match(/^redis:\/\/127\.0\.0\.1:\d+$/);
    expect(variables).to.have.property('KAFKA_COUNTS_PARTITIONS').that.matches(/^\d+$/);
    expect(variables['DATABASE_URL']).to.match(/postgres:\/\/flagmeter:\w{40}@/);
  });

  it('refuses a taken port that a variable names, in one sentence', async () => {
    const port = await freePort();
    const stranger = createServer().listen(port, '127.0.0.1');
    const other = await mkdtemp(path.join(local, 'stack-test-'));
    try {
      const failure = await up(other, { KAFKA_PORT: String(port) }).catch((error: unknown) => error);

      expect(failure).to.include({
        code: 1,
        stderr: `port ${port} for Kafka is taken; set KAFKA_PORT to another one or stop what listens there\n`,
      });
    } finally {
      stranger.close();
      await cleanStack(other);
      await rm(other, { recursive: true });
    }
  });
});

function up(
  directory: string,
  ports: Readonly<Record<string, string>> = {},
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const command = [...FROM_SOURCES, 'tools/stack/main.ts', 'up'];
  return run(process.execPath, [...command, '--directory', directory], {
    cwd: repository,
    env: { ...inheritedEnv(), ...ports },
  });
}
