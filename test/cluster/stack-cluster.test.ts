import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { checkEveryReplica } from '#core/clickhouse';
import { inheritedEnv } from '../../tools/clock/inherited-env.ts';
import { descendantsOf, isAlive } from '../../tools/stack/index.ts';
import { startWorker } from '../../services/worker/index.ts';
import { aFreshCountsValue, appendCounts } from '../support/stack/engines/kafka/kafka-log.ts';
import { sourcedVariables } from '../support/stack/engines/sourced-variables.ts';
import { eventually } from '../support/eventually.ts';
import { describeNightly } from '../support/nightly.ts';
import { type World, createWorld } from '../support/world.ts';
import { FROM_SOURCES } from '../../tools/run/from-sources.ts';

const LOCAL = path.resolve('.local');
/** Nine engines, one after the other. */
const START_MS = 280_000;

describeNightly('make stack-cluster', () => {
  let directory: string;
  let stack: ChildProcess;
  let environment: string;

  before(async function () {
    this.timeout(START_MS + 20_000);
    await mkdir(LOCAL, { recursive: true });
    directory = await mkdtemp(path.join(LOCAL, 'stack-test-'));
    environment = path.join(directory, 'cluster', 'stack.env');
    const options = [...FROM_SOURCES, 'tools/stack/main.ts', 'cluster'];
    stack = spawn(process.execPath, [...options, '--directory', directory], {
      env: inheritedEnv(),
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const isThere = () => Promise.resolve(existsSync(environment) || stack.exitCode !== null);
    await eventually(isThere, (isDone) => isDone, START_MS);
    expect(stack.exitCode, 'the stack ended, see above').to.equal(null);
  });
  after(async () => {
    await stop();
    await rm(directory, { recursive: true });
  });

  describe('with the addresses that it writes', () => {
    let world: World;

    before(async () => {
      world = await createWorld(await sourcedVariables(environment));
    });
    after(() => world.dispose());

    it('counts on two shards of two replicas and on three brokers', async () => {
      const shards = world.config.clickhouse.url.split(';');
      expect(shards.map((replicas) => replicas.split(',').length)).to.deep.equal([2, 2]);
      expect(world.config.kafka.replicationFactor).to.equal(3);
      await appendCounts(world, [aFreshCountsValue('first')]);
      const worker = await startWorker(world.config, world.log, (error) => {
        throw error;
      });
      const { total } = await world.settled();
      await worker.stop();

      expect(total).to.include({ received: 1, counted: 1 });
    });

    it('rejects a definition of the cluster that mixes the replicas of two shards', async () => {
      const mixed = { ...world.config.clickhouse, cluster: 'crossed', shards: 2, host: 'a1' };
      const problem = await checkEveryReplica(world.shards.all[0], mixed).catch(String);

      expect(problem).to.match(/does not have each shard .* once/);
    });
  });

  describe('after SIGTERM', () => {
    it('leaves no process and no data behind', async () => {
      const pids = await descendantsOf([stack.pid ?? 0]);
      expect(pids).to.have.length.of.at.least(9);

      expect(await stop()).to.equal(0);
      expect(await Promise.all(pids.map(isAlive))).to.not.include(true);
      expect(existsSync(environment)).to.equal(false);
      expect(existsSync(path.join(directory, 'cluster', 'data'))).to.equal(false);
    });
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
