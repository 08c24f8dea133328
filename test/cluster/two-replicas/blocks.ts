import { expect } from 'chai';
import {
  type ClickHouse,
  createBlocks,
  openClickHouse,
  readRows,
  replicasOf,
  runStatement,
} from '#core/clickhouse';
import { setUpTables } from '#tooling/operations';
import { type Config, createLog, readConfig } from '#base/runtime';
import type { OwnCluster } from '../../support/stack/engines/own-cluster.ts';
import { untilCaughtUp } from '../../support/stack/engines/clickhouse/replica-accounting.ts';
import { aBlock, readFilledTables } from '../../support/stack/engines/clickhouse/stored-blocks.ts';
import { eventually } from '../../support/eventually.ts';
import { itByTurns } from '../../support/nightly.ts';
import { aFreshMetric } from '../../support/requests/post.ts';

/** Longer than this file takes on any machine. */
const WINDOW_MS = 3_600_000;
const TEN_YEARS_S = 315_360_000;
const KEY = { topic: 'counts', epoch: 1, partition: 0 };

/** Only ClickHouse is used. */
const OTHER_ENGINES = {
  KAFKA_BROKERS: '127.0.0.1:1',
  DATABASE_URL: 'postgres://127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
};

export function testBlocks(given: () => OwnCluster): void {
  let cluster: OwnCluster;
  let config: Config;
  let first: ClickHouse;
  let second: ClickHouse;
  let next = 0n;

  before(async () => {
    cluster = given();
    config = readConfig({ ...cluster.access, ...OTHER_ENGINES });
    await setUpTables(config, createLog('test', 'fatal'));
    const [one, two] = replicasOf(config.clickhouse).map((replica) => openClickHouse(replica));
    if (one === undefined || two === undefined) throw new RangeError('the cluster has too few replicas');
    [first, second] = [one, two];
  });
  afterEach(() => cluster.revive());
  after(async () => {
    for (const db of [first, second]) {
      // Otherwise the server goes on to compute its verdicts each minute.
      await runStatement(db, `drop database ${config.clickhouse.database} sync`);
      await db.close();
    }
  });

  it('are stored once if they are sent to one replica and again to the other', async () => {
    const block = aNextBlock();
    await createBlocks(first).insert(block);
    await createBlocks(second).insert(block);

    await expectAllCountedOnce();
  });

  it('are completed exactly by a replica that has not fetched them', async () => {
    const block = aNextBlock();
    await runStatement(second, 'system stop fetches');
    await createBlocks(first).insert(block);
    expect(await readSums(second)).to.deep.equal(sumsOf(1));
    await createBlocks(second).complete(block);
    await runStatement(second, 'system start fetches');

    await expectAllCountedOnce();
  });

  it('are remembered by their number, not for an hour as by default', async () => {
    const tables = await readRows<{ seconds: string }>(
      first,
      `select extract(engine_full, 'replicated_deduplication_window_seconds = ([0-9]+)') as seconds
       from system.tables
       where database = currentDatabase()
         and engine_full like '%replicated_deduplication_window = %'`,
    );
    expect(tables).to.have.length.above(5);
    for (const { seconds } of tables) expect(Number(seconds)).to.be.above(TEN_YEARS_S - 1);
  });

  it('are waited for by a replica that reads the history of a partition', async () => {
    await runStatement(second, 'system stop fetches');
    await createBlocks(first).insert(aNextBlock());
    const history = createBlocks(second).readHistory(KEY, next, WINDOW_MS);
    await eventually(
      () => readRows(second, "select 1 from system.processes where query ilike 'system sync replica%'"),
      ({ length }) => length > 0,
    );
    await runStatement(second, 'system start fetches');

    expect(await history).to.have.property('storedTo', next);
    expect((await history).countedBlocks).to.have.length(Number(next));
  });

  // Both take many seconds of CPU, because servers start again or wait for the end of a session.
  const itInTurn = itByTurns(2);
  itInTurn(
    'go to the next replica while the preferred one is away, and are recognised after all were restarted',
    async () => {
      const both = openClickHouse(config.clickhouse);
      const [preferred, other] = cluster.replicas;
      const earlier = aNextBlock();
      await createBlocks(first).insert(earlier);
      await untilCaughtUp(second);
      await preferred?.kill();
      expect(await readSums(both)).to.deep.equal(sumsOf(Number(next)));
      const block = aNextBlock();
      await untilStored(both, block);
      await other?.kill();
      await Promise.all(cluster.replicas.map((replica) => replica.restart()));
      for (const db of [first, second]) {
        await untilStored(db, earlier);
        await untilStored(db, block);
      }
      await both.close();

      await expectAllCountedOnce();
    },
  );

  itInTurn('are completed by a replica although a cut one alone has the block before', async () => {
    const since = Date.now();
    const used = await createBlocks(second).readWindowUsed(since);
    await runStatement(second, 'system stop fetches');
    await createBlocks(first).insert(aNextBlock());
    await cluster.replicas[0]?.wire.cut();
    await eventually(
      () =>
        readRows<{ active: number }>(
          second,
          `select active_replicas as active
           from system.replicas
           where database = currentDatabase()
             and table = 'blocks'`,
        ),
      ([row]) => row?.active === 1,
      60_000,
    );
    await runStatement(second, 'system start fetches');
    const block = aNextBlock();

    const failure = await createBlocks(first)
      .insert(block)
      .catch((error: unknown) => error);
    expect(failure).to.have.property('type').that.is.oneOf(['TABLE_IS_READ_ONLY', 'KEEPER_EXCEPTION']);
    expect(await createBlocks(second).readWindowUsed(since)).to.be.above(used);
    await createBlocks(second).complete(block);
    await cluster.revive();
    await expectAllCountedOnce();
  });

  it('fill all tables of both replicas alike', async () => {
    expect(await readTables(second)).to.deep.equal(await readTables(first));
  });

  it('are killed on the replica that stores them', async () => {
    const impatient = openClickHouse({ ...config.clickhouse, timeoutMs: 1000 });
    const cancelled = await countCancelled(first);
    await cluster.zookeeper.freeze();
    const failure = await createBlocks(impatient)
      .insert(aNextBlock())
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
    await cluster.revive();
    await impatient.close();

    await eventually(
      () => countCancelled(first),
      (count) => count > cancelled,
    );
  });

  function aNextBlock() {
    const block = aBlock({
      metrics: [aFreshMetric({ featureName: 'kept', yes: 2, no: 3, variants: { blue: 2 } })],
      from: next,
      batchId: `batch ${next}`,
    });
    next += 1n;
    return block;
  }

  /** As the worker does: after an error the outcome is unknown, so the block is completed. */
  async function untilStored(db: ClickHouse, block: ReturnType<typeof aBlock>): Promise<void> {
    await eventually(
      () =>
        createBlocks(db)
          .complete(block)
          .then(() => true)
          .catch(() => false),
      (isStored) => isStored,
    );
  }

  /** On both replicas, once they have all blocks. */
  async function expectAllCountedOnce(): Promise<void> {
    for (const db of [first, second]) {
      await untilCaughtUp(db, ['blocks', 'usage_daily']);
      expect(await readSums(db)).to.deep.equal(sumsOf(Number(next)));
    }
  }

  async function readTables(db: ClickHouse): Promise<Record<string, unknown[]>> {
    await untilCaughtUp(db);
    return readFilledTables({ query: (sql, params = {}) => readRows(db, sql, params) });
  }

  /** How many queries were killed there. */
  async function countCancelled(db: ClickHouse): Promise<number> {
    const sql = "select sum(value) as times from system.errors where name = 'QUERY_WAS_CANCELLED'";
    const [row] = await readRows<{ times: string }>(db, sql);
    return Number(row?.times ?? 0);
  }

  function readSums(db: ClickHouse): Promise<unknown[]> {
    return readRows(
      db,
      'select sum(u.yes) as yes, sum(u.no) as no, (select count() from blocks) as blocks from usage_by_day as u',
    );
  }

  function sumsOf(blocks: number): unknown[] {
    return [{ yes: String(2 * blocks), no: String(3 * blocks), blocks: String(blocks) }];
  }
}
