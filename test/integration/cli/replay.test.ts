import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { isoDay } from '#base/schema';
import { DEFAULT_REFUSAL_LIMITS, type Metric, encodeIntent } from '#core/counting';
import { setUp } from '#tooling/operations';
import { codeOf } from '../../support/code-of.ts';
import { bytesOf, encodeAggregated, aggregateMetrics } from '../../support/builders/builders.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { appendCounts, commitPosition, forgetMessages } from '../../support/stack/engines/kafka/kafka-log.ts';
import { runWorker } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';
import { countAsOlderWorker } from '../../support/stories/older-worker.ts';

/** The time at which the batches below are received, even if they are built past midnight. */
const NOW = Date.now();
const TODAY = Math.floor(NOW / 86_400_000);
/** In another month than today. */
const LONG_AGO = TODAY - 33;

describe('flagmeter replay', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '2' });

  // In this order: the later ones count more messages, lose ClickHouse, and lose messages.
  describe('after a worker has counted and stopped', () => {
    let views: Views;

    before(async () => {
      await countAsOlderWorker(world, [
        { value: aBatchOf('a', [TODAY - 1, TODAY - 2]) },
        { value: aBatchOf('replayed', [TODAY - 1, LONG_AGO]), isDead: true },
        { value: aBatchOf('a', [TODAY - 1, TODAY - 2]), isDead: true },
        { value: aBatchOf('given-up', [TODAY - 1]), isDead: true },
        { value: bytesOf('not a message'), isDead: true },
      ]);
      await callCli(world, 'dead', 'drop', `${topic()}:0:3`, '--yes');
      await callCli(world, 'dead', 'replay', '--all', '--yes');
      await appendCounts(world, [aBatchOf('b', [TODAY, TODAY - 2]), aBatchOf('b', [TODAY, TODAY - 2])], 1);
      await appendCounts(world, [aBatchOf('c', [TODAY - 1, LONG_AGO]), bytesOf('neither')]);
      await countInWorker([aBatchOf('d', [TODAY - 1])]);
    });
    beforeEach(async () => {
      views = await readViews();
    });

    it('rebuilds exactly the lost or damaged days, and leaves others unchanged', async () => {
      await runOn('alter table usage_hourly delete where toDate(hour) = {day}', TODAY - 1);
      await runOn('alter table variants_daily delete where day = {day}', TODAY - 1);
      await runOn('alter table refusals_daily delete where day = {day}', TODAY);
      await runOn('alter table usage_minutely delete where toDate(minute) = {day}', TODAY);
      await runOn("insert into usage_daily values ('spoilt', 'e', 'a', {day}, 1, 2, 9, 3)", TODAY - 2);
      await runOn("insert into usage_daily values ('spoilt', 'e', 'a', {day}, 4, 5, 9, 6)", LONG_AGO);
      const spoilt = await readViews();
      const foretold = await replayDays(TODAY - 2, TODAY + 1);

      expect(await readViews()).to.deep.equal(spoilt);
      expect(foretold.output).to.include('sums change on 3 days');
      expect(foretold.output).to.include('Nothing was changed');

      await replayDays(TODAY - 2, TODAY + 1, '--yes');
      const isSpoilt = (row: unknown): boolean => JSON.stringify(row).includes('spoilt');
      const rebuilt = await readViews();
      expect(rebuilt['usage_by_day']?.filter(isSpoilt)).to.have.length(1);
      expect({
        ...rebuilt,
        usage_by_day: rebuilt['usage_by_day']?.filter((row) => !isSpoilt(row)),
      }).to.deep.equal(views);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(1);

      await replayDays(LONG_AGO, LONG_AGO + 1, '--yes');
      expect(await readViews()).to.deep.equal(views);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
      expect((await replayDays(TODAY - 2, TODAY + 1, '--yes')).output).to.include('sums change on 0 days');
      expect(await readViews()).to.deep.equal(views);
      expect(
        await world.query('select name from system.databases where name = {name:String}', scratch()),
      ).to.deep.equal([]);
    });

    it('fails while a worker runs, or while the outcome of a block is unknown', async () => {
      const worker = await runWorker(world);
      expect(await codeOf(() => replayDays(TODAY - 1, TODAY))).to.equal('worker-running');
      await worker.stop();
      await commitPosition(world, {
        offset: 8n,
        metadata: encodeIntent({ to: 9n, at: Date.now() }),
      });
      expect(await codeOf(() => replayDays(TODAY - 1, TODAY))).to.equal('block-in-doubt');
      await commitPosition(world, { offset: 8n, metadata: '' });
    });

    it('restores lost blocks with their days, and the worker continues', async () => {
      await runStatement(
        world.clickhouse,
        `alter table blocks delete where topic = '${topic()}' and partition = 0 and from_offset >= 5 settings mutations_sync = 2`,
      );
      await runOn('alter table usage_daily delete where day = {day}', TODAY - 1);
      const failure = await codeOf(() => replayDays(TODAY - 1, TODAY));
      expect(failure).to.equal('lost-blocks');

      await replayDays(LONG_AGO, TODAY + 1, '--yes');
      expect(await readViews()).to.deep.equal(views);
      await countInWorker([aBatchOf('e', [TODAY])]);
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    });

    it('restores an empty ClickHouse to the point where the worker stopped', async () => {
      await runStatement(world.clickhouse, `drop database ${world.config.clickhouse.database} sync`);
      await setUp(world.config, world.log);
      const { output } = await replayDays(LONG_AGO, TODAY + 1, '--yes');

      expect(output).to.include('blocks missing in ClickHouse');
      // The state of the letters is lost as well. So the log is decoded as if for the first time, including the
      // letter that was given up.
      const { total } = await world.settled();
      expect(total).to.deep.equal({ received: 41, counted: 22, refused: 7, duplicate: 10, dead: 2 });
      const { yes } = sumsOf(views);
      expect(sumsOf(await readViews())).to.deep.equal({ yes: yes + YES_PER_DAY });
      await countInWorker([aBatchOf('f', [TODAY])]);
      expect(sumsOf(await readViews())).to.deep.equal({ yes: yes + 2 * YES_PER_DAY });
      expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
    });

    it('rejects days that Kafka no longer holds whole, unless --allow-incomplete is given', async () => {
      await forgetMessages(world, 5n);

      expect(await codeOf(() => replayDays(TODAY - 1, TODAY, '--yes'))).to.equal('incomplete');
      expect(await readViews()).to.deep.equal(views);
      const { output } = await replayDays(TODAY - 1, TODAY, '--yes', '--allow-incomplete');
      expect(output).to.include('not exact: the log of partition 0 begins after');
      expect(sumsOf(await readViews()).yes).to.be.lessThan(sumsOf(views).yes);
    });
  });

  it('rejects ranges that are not valid days', async () => {
    for (const [from, to] of [
      ['2026-02-30', '2026-03-02'],
      ['yesterday', '2026-03-02'],
      ['2026-03-02', '2026-03-02'],
    ] as const) {
      expect(await codeOf(() => callCli(world, 'replay', '--from', from, '--to', to))).to.equal('usage');
    }
    expect(await codeOf(() => replayDays(TODAY - 89, TODAY))).to.equal('too-old');
  });

  function topic(): string {
    return world.config.kafka.topics.counts;
  }

  function scratch(): { name: string } {
    return { name: `${world.config.clickhouse.database}_replay` };
  }

  function replayDays(from: number, to: number, ...options: string[]): ReturnType<typeof callCli> {
    return callCli(world, 'replay', '--from', isoDay(from), '--to', isoDay(to), ...options);
  }

  /** Lets a worker count values and the rest of the log, and stops it. */
  async function countInWorker(values: readonly Uint8Array[]): Promise<void> {
    await appendCounts(world, values);
    const worker = await runWorker(world);
    await world.settled();
    await worker.stop();
  }

  function runOn(statement: string, day: number): Promise<void> {
    return runStatement(world.clickhouse, statement.replace('{day}', `toDate('${isoDay(day)}')`), {
      mutations_sync: '2',
    });
  }

  async function readViews(): Promise<Views> {
    const views: Record<string, unknown[]> = {};
    for (const view of TIMES.flatMap((time) => [`usage_by_${time}`, `variants_by_${time}`])) {
      views[view] = await world.query(`select * except is_complete from ${view} order by all`);
    }
    views['refusals'] = await world.query('select * from refusals order by all');
    views['feature_seen'] = await world.query('select * from feature_seen order by all');
    return views;
  }
});

const TIMES = ['minute', 'hour', 'day'];

type Views = Readonly<Record<string, unknown[]>>;

function sumsOf({ usage_by_day: rows = [] }: Views): { yes: number } {
  const counts = rows as { yes: string }[]; // as in the view
  return { yes: counts.reduce((sum, { yes }) => sum + Number(yes), 0) };
}

/** The counts that a batch below adds to a day. */
const YES_PER_DAY = 3;

/** A batch with two metrics for each day, one of them with variants, and one metric that is refused. */
function aBatchOf(batchId: string, days: readonly number[]): Uint8Array {
  const metrics = days.flatMap((day): Metric[] => {
    const timestamp = `${isoDay(day)}T00:30:00Z`;
    const metric = { appName: 'shop', environment: 'production', timestamp };
    return [
      { ...metric, featureName: `feature-${batchId}`, yes: 2, no: 1, variants: { blue: 2 } },
      { ...metric, featureName: 'shared', yes: 1, no: 5 },
    ];
  });
  const refused = { featureName: 'x'.repeat(300), appName: 'shop', environment: 'production', yes: 1 };
  const limits = { ...DEFAULT_REFUSAL_LIMITS, maxAgeMs: 60 * 86_400_000 };
  const receivedAt = NOW;
  return encodeAggregated(aggregateMetrics([...metrics, refused], { limits, receivedAt }), {
    batchId,
    receivedAt,
  });
}
