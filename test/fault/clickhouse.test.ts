import { setTimeout as sleep } from 'node:timers/promises';
import { breakDailyView, readInsertFailures } from '../support/broken-view.ts';
import { eventually } from '../support/eventually.ts';
import { Ledger } from '../support/ledger.ts';
import { type Load, startLoad } from '../support/load.ts';
import { type OwnEngine, ownClickHouse } from '../support/own-engines.ts';
import { type ServiceProcess } from '../support/process.ts';
import { chooseRounds, chooseSeed, createRandom } from '../support/random.ts';
import { type World, createWorld } from '../support/world.ts';

const seed = chooseSeed();
const rounds = chooseRounds(2);
const random = createRandom(seed);

describe(`a ClickHouse in trouble (SEED=${seed} ROUNDS=${rounds})`, function () {
  this.timeout(60_000 + rounds * 30_000);
  let clickhouse: OwnEngine;
  let world: World;
  let worker: ServiceProcess;
  let ledger: Ledger;
  let running: Load | undefined;

  before(async () => {
    clickhouse = await ownClickHouse();
  });
  after(() => clickhouse.dispose());

  beforeEach(async () => {
    ledger = new Ledger();
    world = await createWorld({ CLICKHOUSE_URL: clickhouse.address });
  });
  afterEach(async () => {
    await clickhouse.revive();
    await running?.stop();
    await world.dispose();
  });

  it('that is killed during inserts counts everything once when it is back, and ingest never notices', async () => {
    const load = await begin();
    for (let round = 0; round < rounds; round += 1) {
      await sleep(random.between(0, 1500));
      await clickhouse.kill();
      await load.acknowledged(20);
      await clickhouse.restart();
      await load.acknowledged(20);
    }
    await load.stop();

    await ledger.expectCountedOnce(world);
  });

  it('that is frozen counts everything once when it thaws', async () => {
    const load = await begin();
    clickhouse.freeze();
    await load.acknowledged(40);
    await sleep(random.between(0, 2000));
    clickhouse.thaw();
    await load.acknowledged(20);
    await load.stop();

    await ledger.expectCountedOnce(world);
  });

  it('that refuses blocks through a broken view counts everything once when the view is repaired', async () => {
    const load = await begin();
    const repair = await breakDailyView(world);
    const failures = await readInsertFailures(worker);
    await eventually(
      () => readInsertFailures(worker),
      (now) => now > failures + 2,
    );
    await load.acknowledged(20);
    await repair();
    await load.stop();

    await ledger.expectCountedOnce(world);
  });

  async function begin(): Promise<Load> {
    const [front, forked] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
    worker = forked;
    const load = startLoad({ ledger, random, url: () => front.url });
    running = load;
    await load.acknowledged(20);
    return load;
  }
});
