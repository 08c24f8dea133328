import { expect } from 'chai';
import { itNightly } from '../support/nightly.ts';
import type { SentMetric } from '../support/stories/ledger.ts';
import { type Content, randomMetrics } from '../support/stories/load.ts';
import { describeStory } from '../support/stories/story.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The defaults of MAX_METRIC_AGE_HOURS and MAX_METRIC_FUTURE_MINUTES. */
const RETENTION_MS = 30 * DAY_MS;
const FUTURE_MS = 14 * HOUR_MS;
/**
 * Distance from a border that a test keeps, because ingest reads its own clock some time after the test has read its
 * own.
 */
const SLACK_MS = 5 * MINUTE_MS;

/** By day, test/e2e/relays/traffic.test.ts has such clocks, and test/unit/core/counting/batch/timestamps.test.ts the borders. */
describeStory('9 time', ({ random, rounds, open, expectHonest }) => {
  itNightly(
    'of relays with clocks that are days off is counted or refused with a reason, and every border of an hour or a day is exact',
    async () => {
      const refused = { too_old: 0, in_the_future: 0 };
      const scene = await open({
        load: {
          relays: 6,
          write(relay): Content {
            if (relay === 0) return { metrics: atBorders() };
            if (relay === 1) return { metrics: shifted(-random.between(1, 27) * DAY_MS) };
            if (relay === 2) return { metrics: shifted(FUTURE_MS - SLACK_MS - 2 * DAY_MS, 2 * DAY_MS) };
            if (relay === 3) return { metrics: metricsAt(SLACK_MS - RETENTION_MS), refusedMetrics: old() };
            if (relay === 4) return { metrics: metricsAt(0), refusedMetrics: ahead() };
            return { metrics: randomMetrics(random) };
          },
        },
      });
      await rounds(1, async () => {
        await scene.load.acknowledged(random.between(30, 90));
        await scene.cast.worker.kill();
        await scene.replace('worker');
        await scene.counted();
      });

      const { acknowledged, requests } = await expectHonest(scene);
      expect(acknowledged).to.equal(requests);
      const reasons = await scene.world.query<{ reason: string; refused: string }>(
        `select reason, sum(count) as refused from refusals group by reason order by reason`,
      );
      expect(reasons).to.deep.equal([
        { reason: 'in_the_future', refused: String(refused.in_the_future) },
        { reason: 'too_old', refused: String(refused.too_old) },
      ]);

      function old(): SentMetric[] {
        const metrics = metricsAt(-RETENTION_MS - random.pick([1000, HOUR_MS, 400 * DAY_MS]));
        refused.too_old += metrics.length;
        return metrics;
      }

      function ahead(): SentMetric[] {
        const metrics = metricsAt(FUTURE_MS + random.pick([SLACK_MS, 3 * DAY_MS]));
        refused.in_the_future += metrics.length;
        return metrics;
      }
    },
  );

  /** Metrics of a relay whose clock is off by so much, within the last `spanMs` of the relay's time. */
  function shifted(offsetMs: number, spanMs = HOUR_MS): SentMetric[] {
    return metricsAt(offsetMs + random.between(0, spanMs));
  }

  function metricsAt(offsetMs: number): SentMetric[] {
    const timestamp = new Date(Date.now() + offsetMs).toISOString();
    return randomMetrics(random).map((metric) => ({ ...metric, timestamp }));
  }

  /** The first and the last millisecond of hours, days and months, written in several time zones. */
  function atBorders(): SentMetric[] {
    const now = new Date();
    const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
    const month = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1);
    const borders = [
      Math.floor(now.getTime() / HOUR_MS) * HOUR_MS,
      today,
      // On the 31st the beginning of the month is too old.
      now.getTime() - month < RETENTION_MS - HOUR_MS ? month : today,
    ] as const;
    return randomMetrics(random).map((metric) => {
      const at = random.pick(borders) - random.between(0, 1);
      const timestamp = random.pick([
        new Date(at).toISOString(),
        new Date(at + 2 * HOUR_MS).toISOString().replace('Z', '+02:00'),
        new Date(at - 5 * HOUR_MS).toISOString().replace('Z', '-05:00'),
      ]);
      return { ...metric, timestamp };
    });
  }
});
