import { expect } from 'chai';
import { type GivenPoint, aPointsValue } from '../../support/builders/points.ts';
import { createRandom } from '../../support/builders/random.ts';
import { appendCounts } from '../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../support/eventually.ts';
import { isNight } from '../../support/nightly.ts';
import { usageOf } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const POINTS = ['after-before', 'during-insert', 'after-insert', 'after-after'] as const;
/** One before and one behind the INSERT. The session of each killed worker lasts eight seconds longer. */
const POINTS_BY_DAY = ['after-before', 'after-insert'] as const;
const NOW = Date.now();
const SECOND_MS = 1000;

describe('counters that add up from their start', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const random = createRandom(Number(process.env['SEED'] ?? 1));

  it('are counted to the last evaluation through kills of the worker at several steps, restarts, repeated and late points', async () => {
    const counters = new Map<string, GivenPoint & { readonly at: number; readonly startedAt: number }>();
    const expected = new Map<string, number>();
    let sent: GivenPoint[] = [];
    let batches = 0;
    /** The next points of three processes. One restarts, and some points come again, late. */
    const append = async (): Promise<void> => {
      for (const counter of ['a', 'b', 'c']) {
        const last = counters.get(counter);
        const restarts = last === undefined || (counter === 'c' && random.between(0, 2) === 0);
        const at = (last?.at ?? NOW - 3600 * SECOND_MS) + SECOND_MS;
        const startedAt = restarts ? at : last.startedAt;
        const value = (restarts ? 0 : last.value) + random.between(0, 9);
        const point = { counter, startedAt, at, value };
        counters.set(counter, point);
        expected.set(`${counter} ${startedAt}`, value);
        sent.push(point);
      }
      const again = sent[random.between(0, sent.length - 1)];
      const points = [...sent.slice(-3), ...(again === undefined ? [] : [again])];
      sent = sent.slice(-12);
      await appendCounts(world, [aPointsValue(points, `batch ${batches}`, NOW)]);
      batches += 1;
    };
    for (const point of isNight() ? POINTS : POINTS_BY_DAY) {
      const doomed = await world.fork('worker', { KILL_POINT: point, KILL_BLOCK: '2', KILL_DELAY_MS: '0' }, [
        'kill-at-point',
      ]);
      let killed = '';
      const end = doomed.expectEnd();
      const watch = async (): Promise<void> => {
        await end;
        killed = point;
      };
      const watching = watch();
      for (const isKilled = () => killed === point; !isKilled();) {
        await append();
        await Promise.race([end, untilStored(batches)]);
      }
      await watching;
      expect(await doomed.readLog()).to.include(`killed ${point}`);
    }
    await world.fork('worker');
    await append();
    await world.settled();
    const total = [...expected.values()].reduce((sum, value) => sum + value, 0);
    expect((await usageOf(world, 'counted')).yes).to.equal(total);
  });

  /** Resolves when the block of the last message is stored. */
  async function untilStored(messages: number): Promise<void> {
    await eventually(
      () => world.query<{ stored: number }>('select toUInt32(max(to_offset)) as stored from blocks'),
      ([row]) => (row?.stored ?? 0) >= messages,
    );
  }
});
