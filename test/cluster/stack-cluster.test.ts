import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { isAlive } from '../../infra/stack/index.ts';
import { startWorker } from '../../services/worker/index.ts';
import { aFreshCountsValue, appendCounts } from '../support/engines/kafka-log.ts';
import { eventually } from '../support/eventually.ts';
import { descendantsOf } from '../support/processes/descendants.ts';
import { inheritedEnv } from '../support/processes/programs.ts';
import { createWorld } from '../support/world.ts';

const LOCAL = path.resolve('.local');
/** Seven engines, one after the other. */
const START_MS = 110_000;

describe('make stack-cluster', () => {
  let directory: string;
  let stack: ChildProcess;
  let environment: string;

  before(async () => {
    await mkdir(LOCAL, { recursive: true });
    directory = await mkdtemp(path.join(LOCAL, 'stack-test-'));
    environment = path.join(directory, 'cluster', 'stack.env');
    const options = ['--conditions=source', '--import=tsx', 'infra/stack/main.ts', 'cluster'];
    stack = spawn(process.execPath, [...options, '--directory', directory], {
      env: inheritedEnv(),
      stdio: 'ignore',
    });
    const isThere = () => Promise.resolve(existsSync(environment) || stack.exitCode !== null);
    await eventually(isThere, (isDone) => isDone, START_MS);
  });
  after(async () => {
    await stop();
    await rm(directory, { recursive: true });
  });

  it('counts on two replicas and three brokers, with the addresses that it writes', async () => {
    const lines = (await readFile(environment, 'utf8')).matchAll(/^export (\w+)=(.*)$/gm);
    const variables = [...lines].map(([, name = '', value = '']) => [name, value] as const);
    const world = await createWorld(Object.fromEntries(variables));
    try {
      expect(world.config.clickhouse.url.split(',')).to.have.length(2);
      expect(world.config.kafka.replicationFactor).to.equal(3);
      await appendCounts(world, [aFreshCountsValue('first')]);
      const worker = await startWorker(world.config, world.log, (error) => {
        throw error;
      });
      const { total } = await world.settled();
      await worker.stop();

      expect(total).to.include({ received: 1, counted: 1 });
    } finally {
      await world.dispose();
    }
  });

  it('leaves no process and no data behind after SIGTERM', async () => {
    const pids = await descendantsOf(stack.pid ?? 0);
    expect(pids).to.have.length.of.at.least(7);

    expect(await stop()).to.equal(0);
    expect(await Promise.all(pids.map(isAlive))).to.not.include(true);
    expect(existsSync(environment)).to.equal(false);
    expect(existsSync(path.join(directory, 'cluster', 'data'))).to.equal(false);
  });

  async function stop(): Promise<number | null> {
    if (stack.exitCode === null) {
      const exited = once(stack, 'exit');
      stack.kill('SIGTERM');
      await exited;
    }
    return stack.exitCode;
  }
});
