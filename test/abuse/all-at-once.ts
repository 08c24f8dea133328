import { inspect } from 'node:util';
import { expect } from 'chai';
import { aUser, openApi } from '../support/admin-api/admin.ts';
import { startAttacker } from '../support/attacks/attacker.ts';
import { forkAttacked, releaseCanary } from '../support/attacks/canary/canary.ts';
import { chooseSeed, createRandom } from '../support/builders/random.ts';
import { Ledger } from '../support/stories/ledger.ts';
import { randomMetrics, startLoad } from '../support/stories/load.ts';
import { type World, createWorld } from '../support/world.ts';
import { type Range, watchMemory } from './memory-by-minute.ts';
import { chooseSeconds } from '../support/seconds.ts';

const SECONDS = chooseSeconds(300);
/** Minutes, or halves of a short run. */
const PARTS = Math.max(2, Math.floor(SECONDS / 60));
/** Memory limit of a service in compose. */
const MAX_MIB = 512;
/**
 * Limit for the memory that a process may gain between its second minute and the end. By the second minute names are
 * remembered and code is compiled. Compares the minimum of each minute, because the peaks depend on V8's garbage
 * collection and vary by 100 MiB.
 */
const MAX_GROWTH_MIB = 50;
/** Time for the worker to count the remaining batches of the attackers. */
const SETTLED_MS = 15 * 60_000;
const SEED = chooseSeed();

/** Part of `make abuse`. Too long for `make test`, where each attack has its own test. */
describe(`all attacks at once (SEED=${SEED}, ${SECONDS} s)`, function () {
  this.timeout(SECONDS * 1000 + 2 * SETTLED_MS);
  let world: World;

  before(async () => {
    world = await createWorld();
  });
  after(() => world.dispose());

  it('costs honest relays nothing', async () => {
    const [ingest, worker, admin, open] = await Promise.all([
      forkAttacked(world, 'ingest'),
      world.fork('worker'),
      world.fork('admin'),
      world.fork('admin', { AUTH_TYPE: 'none' }),
    ]);
    const { token: viewer } = await aUser(await openApi(admin.url), 'Viewer', 'vera');
    const ledger = new Ledger();
    const random = createRandom(SEED);
    const canary = await releaseCanary(ingest);
    // So few that their markers stay below the number of names that a token may send in an hour.
    const load = startLoad({
      ledger,
      random,
      url: () => ingest.url,
      relays: 3,
      pauseMs: 400,
      write: () => ({ metrics: randomMetrics(random) }),
    });
    const { clickhouse } = world.config;
    const attacker = startAttacker({
      ingest: ingest.url,
      admin: admin.url,
      open: open.url,
      viewer,
      clickhouse: { url: clickhouse.url, password: clickhouse.password },
    });
    const during = { seconds: SECONDS, parts: PARTS };
    const watches = [ingest, worker, admin, open].map((process) => watchMemory(process, during));
    const memory = await Promise.all(watches);
    const tallies = await attacker.stop();
    show({ tallies, memory });
    await load.stop();
    const answered = await canary.expectAnswered();
    show(answered);
    const result = await ledger.examineAmongOthers(world, SETTLED_MS);
    show(result);

    expect(tallies['port of ClickHouse']).to.have.property('rejected');
    expect(tallies['port of ClickHouse']).not.to.have.property('answered');
    for (const pages of ['web pages under other names', 'web pages of other origins']) {
      expect(tallies[pages], pages).to.have.property('403');
      expect(tallies[pages], pages).not.to.have.property('200');
    }
    expect(result.problems).to.deep.equal([]);
    for (const ranges of memory) expectFlat(ranges);
  });
});

function expectFlat(ranges: readonly Range[]): void {
  expect(ranges, 'the process stays alive').to.have.length(PARTS);
  expect(Math.max(...ranges.map(({ max }) => max))).to.be.lessThan(MAX_MIB);
  expect((ranges.at(-1)?.min ?? 0) - (ranges[1]?.min ?? 0)).to.be.lessThan(MAX_GROWTH_MIB);
}

/** Prints the figures into the log. */
function show(figures: object): void {
  process.stdout.write(`${inspect(figures, { depth: 4 })}\n`);
}
