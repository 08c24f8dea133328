import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { partitionOfSender, senderOf } from '#counting';
import { breakDailyView } from '../support/engines/broken-view.ts';
import type { ServiceProcess } from '../support/processes/process.ts';
import { randomMetrics } from '../support/stories/load.ts';
import type { Scene } from '../support/stories/scene.ts';
import { describeStory } from '../support/stories/story.ts';
import type { World } from '../support/world.ts';

/** A block takes at most three places (packages/clickhouse/blocks/deduplication-window.ts). */
const PLACES_PER_BLOCK = 3;
const BLOCKS_TO_COME = 60;

describeStory('10 deduplication window', ({ random, rounds, open, expectHonest }) => {
  it('nearly used up raises the alarm before the danger, and stops the worker rather than count twice', async () => {
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
      // What was stored in the last minute counts as used: clocks may differ.
      await setWindow(world, PLACES_PER_BLOCK * ((await countBlocks(world)) + BLOCKS_TO_COME));
      const repair = await breakDailyView(world, "feature_name = 'stuck'");
      // A partition that is stuck holds up the others of its worker: those of this one fill the window.
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
  });
});

/**
 * What the alarm of one partition shows until the first worker ends, each value once. Blocks that were completed meanwhile, as after a
 * rebalance, are left out: the values are those of the last block in doubt.
 */
async function readUntilEnd(workers: readonly ServiceProcess[], partition: number): Promise<number[]> {
  const seen: number[] = [];
  const deadline = Date.now() + 150_000;
  while (!workers.some((worker) => worker.hasEnded())) {
    if (Date.now() > deadline) throw new Error(`the workers go on at ${seen.join(', ')}`);
    const answers = await Promise.all(workers.map((worker) => readUsed(worker, partition)));
    // A worker that has ended meanwhile says nothing of its partitions.
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
  return partitionOfSender(sender?.name ?? '', world.config.kafka.countsPartitions);
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
