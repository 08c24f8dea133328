import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { readGauge } from '../support/gauges.ts';
import { Ledger } from '../support/ledger.ts';
import { type Load, startLoad } from '../support/load.ts';
import { type ServiceProcess } from '../support/process.ts';
import { type Random, chooseRounds, chooseSeed, createRandom } from '../support/random.ts';
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts';
import { type World, createWorld } from '../support/world.ts';

const seed = chooseSeed();
const rounds = chooseRounds(2);

describe(`processes that die under load (SEED=${seed} ROUNDS=${rounds})`, function () {
  this.timeout(60_000 + rounds * 60_000);
  let world: World;
  let ledger: Ledger;
  let running: Load | undefined;
  let random: Random;
  let front: ServiceProcess;
  let worker: ServiceProcess;

  beforeEach(async () => {
    random = createRandom(seed);
    ledger = new Ledger();
    world = await createWorld();
  });
  afterEach(async () => {
    await running?.stop();
    await world.dispose();
  });

  it('count everything once when the worker is killed and restarted', async () => {
    const load = await begin('ingest');
    for (let round = 0; round < rounds; round += 1) {
      await sleep(random.between(0, 1200));
      await worker.kill();
      worker = await world.fork('worker');
    }
    await load.acknowledged(20);
    await load.stop();

    await ledger.expectCountedOnce(world);
    expect(ledger.count('unknown')).to.equal(0);
    expect(ledger.count('refused')).to.equal(0);
  });

  it('count everything once when the worker is killed between an INSERT and its commit', async () => {
    const load = await begin('ingest');
    const wire = await replaceWorkerByWired();
    await load.acknowledged(20);
    wire.swallowAnswers();
    await wire.swallowed();
    await worker.kill();
    await load.acknowledged(10);
    worker = await world.fork('worker');
    await load.stop();

    await ledger.expectCountedOnce(world);
    await wire.close();
  });

  it('count everything acknowledged once when front and worker are killed at once', async () => {
    const load = await begin('standalone');
    for (let round = 0; round < rounds; round += 1) {
      await sleep(random.between(0, 1200));
      await Promise.all([front.kill(), worker.kill()]);
      const starting = world.fork('worker');
      front = await world.fork('standalone');
      await load.acknowledged(10);
      worker = await starting;
    }
    await load.stop();

    await ledger.expectCountedOnce(world);
  });

  it('count everything once while workers join, leave and die', async () => {
    const load = await begin('ingest');
    const second = await world.fork('worker');
    await load.acknowledged(30);
    expect(await worker.stop()).to.equal(0);
    const third = await world.fork('worker');
    await load.acknowledged(30);
    await second.kill();
    await load.acknowledged(30);
    await load.stop();

    await ledger.expectCountedOnce(world);
    expect(await third.stop()).to.equal(0);
  });

  it('count everything once when a worker froze past its session and wakes beside its successor', async () => {
    const load = await begin('ingest');
    worker.signal('SIGSTOP');
    // It joins only when the session of the frozen one has run out.
    const second = await world.fork('worker');
    await load.acknowledged(60);
    worker.signal('SIGCONT');
    await load.acknowledged(60);
    await load.stop();

    await ledger.expectCountedOnce(world);
    expect(await worker.stop()).to.equal(0);
    expect(await second.stop()).to.equal(0);
  });

  /** A worker whose wire to ClickHouse can be cut, with partitions taken over. */
  async function replaceWorkerByWired(): Promise<TcpProxy> {
    const port = Number(new URL(world.config.clickhouse.url).port);
    const wire = await startTcpProxy(() => port);
    await worker.stop();
    worker = await world.fork('worker', { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` });
    await eventually(
      () => readInserts(worker),
      (inserts) => inserts > 3,
    );
    return wire;
  }

  async function begin(service: 'ingest' | 'standalone'): Promise<Load> {
    [front, worker] = await Promise.all([world.fork(service), world.fork('worker')]);
    const load = startLoad({ ledger, random, url: () => front.url });
    running = load;
    await load.acknowledged(20);
    return load;
  }
});

/** How many blocks a worker has stored. */
function readInserts(worker: ServiceProcess): Promise<number> {
  return readGauge(worker, 'flagmeter_worker_blocks_total');
}
