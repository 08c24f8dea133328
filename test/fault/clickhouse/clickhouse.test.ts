import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import { breakDailyView, readFailedAttempts } from '../../support/stories/faults/broken-view.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/stack/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { startHalfStoring } from '../../support/stack/proxies/half-storing.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

/**
 * The client gives an INSERT up after 30 s. The worker then asks the server to kill the query, which a frozen server
 * does not answer either.
 */
const INSERT_TIMEOUT_MS = 30_000;
/** For so long only some of the tables have the latest blocks. Each onlooker reads them several times. */
const COMPLETION_MS = 10_000;

describeStory('2 ClickHouse', ({ random, rounds, open, closeScenes, expectHonest }) => {
  let clickhouse: OwnClickHouse;

  before(async () => {
    clickhouse = await ownClickHouse();
  });
  afterEach(async () => {
    await clickhouse.revive();
    await closeScenes();
  });
  after(() => clickhouse.dispose());

  // One scene for two faults, because its start costs as much as they do.
  it('killed during inserts, or with a full disk, leaves every count exact, and ingest never notices', async () => {
    const scene = await begin();
    await rounds(1, async () => {
      await sleep(random.between(0, 1200));
      await clickhouse.kill();
      await scene.load.acknowledged(20);
      await clickhouse.restart();
      await scene.counted();
    });
    await rounds(1, async () => {
      const makeRoom = await fillDisk(scene);
      await untilInsertsFail(scene);
      await makeRoom();
      await scene.counted();
    });

    await expectUnnoticed(scene);
  });

  itNightly('frozen for longer than an INSERT may take leaves every count exact', async () => {
    const scene = await begin();
    await rounds(1, async () => {
      const failures = await readFailedAttempts(scene.cast.worker, 'insert');
      await sleep(random.between(0, 500));
      await clickhouse.freeze();
      await expectNoWaitBehindOnlookers(scene);
      await eventually(
        () => readFailedAttempts(scene.cast.worker, 'insert'),
        (now) => now > failures,
        3 * INSERT_TIMEOUT_MS,
      );
      clickhouse.thaw();
      await scene.counted();
    });

    await expectUnnoticed(scene);
  });

  itNightly('that has parts of blocks for a while leaves counts exact, and shows no difference', async () => {
    const wire = await startHalfStoring(() => clickhouse.address);
    try {
      const scene = await open({
        env: { ...clickhouse.access },
        envOf: { worker: { CLICKHOUSE_URL: wire.url } },
      });
      await rounds(1, async () => {
        await wire.storeHalves(scene.world, () => untilHalfStored(scene));
        const halvedAt = Date.now();
        while (Date.now() - halvedAt < COMPLETION_MS) await scene.onlookers.looked();
        wire.mend();
        await scene.counted();
      });

      await expectUnnoticed(scene);
    } finally {
      wire.close();
    }
  });

  itNightly('that rejects blocks through a broken view leaves counts exact after its repair', async () => {
    const scene = await begin();
    await rounds(1, async () => {
      const repair = await breakDailyView(scene.world);
      await untilInsertsFail(scene);
      await repair();
      await scene.counted();
    });

    await expectUnnoticed(scene);
  });

  function begin(): Promise<Scene> {
    return open({ env: { ...clickhouse.access }, onlookers: 'at night' });
  }

  async function expectUnnoticed(scene: Scene): Promise<void> {
    const { acknowledged, requests } = await expectHonest(scene);
    expect(acknowledged).to.equal(requests);
  }

  /** Batches are acknowledged while an earlier request of an onlooker still waits for its answer. */
  async function expectNoWaitBehindOnlookers({ load, onlookers }: Scene): Promise<void> {
    await eventually(async () => {
      const earlier = [...onlookers.waiting()];
      await load.acknowledged(5);
      return earlier.some((request) => onlookers.waiting().has(request));
    }, Boolean);
  }

  /** An INSERT of each partition has lost its answer, and the tables differ. */
  async function untilHalfStored({ world, cast }: Scene): Promise<void> {
    const failures = await readFailedAttempts(cast.worker, 'insert');
    await eventually(
      async () => ({
        differences: findDifferences(await world.accounting()),
        failures: await readFailedAttempts(cast.worker, 'insert'),
      }),
      (now) => now.differences.length > 0 && now.failures > failures + world.config.kafka.countsPartitions,
    );
  }

  async function untilInsertsFail(scene: Scene): Promise<void> {
    const failures = await readFailedAttempts(scene.cast.worker, 'insert');
    await eventually(
      () => readFailedAttempts(scene.cast.worker, 'insert'),
      (now) => now > failures + 2,
    );
  }

  /** Uses a small file system if we may mount one; otherwise the tables reject INSERTs as if the disk were full. */
  async function fillDisk({ world }: Scene): Promise<() => Promise<void>> {
    if (clickhouse.disk !== undefined) return clickhouse.disk.fill();
    const alter = async (setting: string): Promise<void> => {
      for (const table of ['usage_daily', 'variants_hourly', 'blocks'])
        await world.clickhouse.command({ query: `alter table ${table} ${setting}` });
    };
    await alter('modify setting min_free_disk_bytes_to_perform_insert = 1000000000000000000');
    return () => alter('reset setting min_free_disk_bytes_to_perform_insert');
  }
});
