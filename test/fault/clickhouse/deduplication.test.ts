import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { keyOfSender, partitionOfSender, senderOf } from '#core/counting';
import { breakDailyView } from '../../support/stories/faults/broken-view.ts';
import { itNightly } from '../../support/nightly.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { randomMetrics } from '../../support/stories/load.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';
import type { World } from '../../support/world.ts';

/** A block takes at most three entries of the window (packages/core/clickhouse/blocks/deduplication-window.ts). */
const PLACES_PER_BLOCK = 3;
const BLOCKS_TO_COME = 60;

describeStory('10 deduplication window', ({ random, rounds, open, expectHonest }) => {
  itNightly(
    'nearly used up raises the alarm early, and stops the worker before it counts twice',
    async () => {
      const stuck = { relay: -1 };
      const scene = await open({
        env: { KAFKA_COUNTS_PARTITIONS: '8' },
        mayDiffer: true, // the other views have the rows of the block that the broken view holds up
        load: {
          relays: 10,
          pauseMs: 30,
          write: (relay) => ({
            metrics: randomMetrics(random).map((metric) =>
              relay === stuck.relay ? { ...metric, featureName: 'stuck' } : metric,
            ),
          }),
        },
      });
      const { world, cast } = scene;
      await rounds(1, async () => {
        // Blocks of the last minute count as used, because clocks may differ.
        await setWindow(world, PLACES_PER_BLOCK * ((await countBlocks(world)) + BLOCKS_TO_COME));
        const repair = await breakDailyView(world, "feature_name = 'stuck'");
        // A stuck partition blocks the others of its worker, so the partitions of the second worker fill the window.
        const workers = [cast.worker, await world.fork('worker')];
        stuck.relay = random.between(0, 9);
        const alarms = await readUntilEnd(workers, partitionOf(scene, stuck.relay));
        await Promise.all(workers.map(expectStopped));
        expect(alarms[0]).to.be.lessThan(0.9);
        expect(alarms).to.deep.equal(alarms.toSorted((a, b) => a - b));

        await expectStopped(await scene.replace('worker'));
        stuck.relay = -1;
        await repair();
        await setWindow(world, 20_000);
        await scene.replace('worker');
        await scene.counted();
      });

      await expectHonest(scene);
    },
  );
});

/**
 * The values of the alarm of one partition until the first worker ends, each once. Leaves out blocks that were
 * completed meanwhile, as after a rebalance: the values belong to the last block with an unknown outcome.
 */
async function readUntilEnd(workers: readonly ServiceProcess[], partition: number): Promise<number[]> {
  const seen: number[] = [];
  const deadline = Date.now() + 150_000;
  while (!workers.some((worker) => worker.hasEnded())) {
    if (Date.now() > deadline) throw new Error(`the workers continue at ${seen.join(', ')}`);
    const answers = await Promise.all(workers.map((worker) => readUsed(worker, partition)));
    // A worker that has ended reports no partitions.
    if (answers.every((used) => used !== undefined)) {
      const used = Math.max(...answers);
      if (used === 0) seen.length = 0;
      else if (used !== seen.at(-1)) seen.push(used);
    }
    await sleep(100);
  }
  return seen;
}

async function readUsed(worker: ServiceProcess, partition: number): Promise<number | undefined> {
  const response = await fetch(`${worker.url}/internal-backstage/prometheus`).catch(() => undefined);
  if (response === undefined) return undefined;
  const values = (await response.text()).matchAll(
    /^flagmeter_worker_deduplication_window_used_ratio\{(.*)\} (\S+)$/gm,
  );
  const ofPartition = [...values].filter(([, labels]) => labels?.includes(`partition="${partition}"`));
  return Math.max(0, ...ofPartition.map(([, , value]) => Number(value)));
}

function partitionOf({ load, world }: Scene, relay: number): number {
  const sender = senderOf({ idempotencyKey: load.senders[relay] });
  return partitionOfSender(keyOfSender(sender?.name ?? ''), world.config.kafka.countsPartitions);
}

async function expectStopped(worker: ServiceProcess): Promise<void> {
  expect(await worker.expectEnd()).to.equal(1);
  expect(await worker.readLog()).to.include('"code":"deduplication-window"');
}

async function setWindow(world: World, places: number): Promise<void> {
  const tables = await world.query<{ name: string }>(
    `select name
     from system.tables
     where database = currentDatabase()
       and engine_full like '%non_replicated_deduplication_window%'`,
  );
  for (const { name } of tables) {
    await world.clickhouse.command({
      query: `alter table ${name} modify setting non_replicated_deduplication_window = ${places}`,
    });
  }
}

async function countBlocks(world: World): Promise<number> {
  const [row] = await world.query<{ blocks: string }>('select count() as blocks from blocks');
  return Number(row?.blocks ?? 0);
}
