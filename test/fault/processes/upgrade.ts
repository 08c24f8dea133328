import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { setUp } from '#tooling/operations';
import { inheritedEnv } from '../../../tools/clock/inherited-env.ts';
import { chooseSeed, createRandom } from '../../support/builders/random.ts';
import { type ServiceProcess, forkService } from '../../support/stack/processes/process.ts';
import { programIn } from '../../support/stack/processes/programs.ts';
import { Ledger } from '../../support/stories/ledger.ts';
import { startLoad } from '../../support/stories/load.ts';
import { createDatabase } from '../../support/stack/engines/world-databases.ts';
import { type World, createWorld, untilReady } from '../../support/world.ts';

/** The folder of the earlier version: `make test-upgrade` writes it. */
const BEFORE = process.env['FLAGMETER_BEFORE'] ?? '';
const MANY_NAMES = { MAX_FEATURES_PER_HOUR: '10000000', MAX_APPS_PER_HOUR: '10000000' };
/** Batches that are acknowledged between two steps. */
const STEP = 20;

describe('a rolling upgrade under load', () => {
  let world: World;
  const running = new Set<ServiceProcess>();
  before(async () => {
    world = await createWorld(MANY_NAMES, {
      createPostgres: createDatabase,
      prepare: (_config, _log, env) => migrateBefore(env),
    });
  });
  after(async () => {
    await Promise.all([...running].map((service) => service.kill()));
    await world.dispose();
  });

  const start = async (service: string, checkout?: string): Promise<ServiceProcess> => {
    const process = await forkService(service, { env: world.env, ...(checkout && { checkout }) });
    running.add(process);
    await untilReady(process.url);
    return process;
  };
  const stop = async (process: ServiceProcess): Promise<void> => {
    running.delete(process);
    expect(await process.stop()).to.equal(0);
  };

  it('from the earlier version and back loses nothing and counts nothing twice', async () => {
    const ledger = new Ledger();
    const old = { ingest: await start('ingest', BEFORE), worker: await start('worker', BEFORE) };
    const target = { url: old.ingest.url };
    const load = startLoad({ url: () => target.url, ledger, random: createRandom(chooseSeed()) });
    try {
      await load.acknowledged(STEP);
      await setUp(world.config, world.log);
      await load.acknowledged(STEP); // the earlier version works with the tables of the new one
      const worker = await start('worker');
      await load.acknowledged(STEP); // workers of both versions share the partitions
      await stop(old.worker);
      await load.acknowledged(STEP);
      const ingest = await start('ingest');
      target.url = ingest.url;
      await load.acknowledged(STEP);
      await stop(old.ingest);
      // A failed upgrade goes back in the opposite order.
      const again = await start('ingest', BEFORE);
      target.url = again.url;
      await load.acknowledged(STEP);
      await stop(ingest);
      const oldWorker = await start('worker', BEFORE);
      await stop(worker);
      await load.acknowledged(STEP);
      await load.stop();
      await ledger.expectCountedOnce(world);
      await stop(again);
      await stop(oldWorker);
    } finally {
      await load.stop().catch(() => undefined); // the test has reported the reason
    }
  });
});

/** Prepares the engines with the earlier version. */
async function migrateBefore(env: Readonly<Record<string, string>>): Promise<void> {
  const { file, options } = programIn(BEFORE, 'cli');
  await promisify(execFile)(process.execPath, [...options, file, 'migrate'], {
    env: { ...inheritedEnv(), ...env },
  });
}
