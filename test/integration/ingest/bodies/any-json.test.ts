import { expect } from 'chai';
import fc from 'fast-check';
import { parseTimestamp } from '#base/schema';
import { type Batch, type Metric, REFUSAL_REASONS } from '#core/counting';
import { chooseRounds, chooseSeed } from '../../../support/builders/random.ts';
import { type NaiveSums, sumsOfMetrics } from '../../../support/model/naive-sums.ts';
import { isNight } from '../../../support/nightly.ts';
import { type Answer, post, problemOf } from '../../../support/requests/post.ts';
import { sharedCounting } from '../../../support/stories/counting.ts';
import { type World, sharedWorld } from '../../../support/world.ts';
import { bodiesAround } from './arbitrary-bodies.ts';

const SEED = chooseSeed();
const ROUNDS = chooseRounds(isNight() ? 20 : 10);
const NOW = Date.now();
const HOUR_MS = 3_600_000;
const NAMES = { 400: 'ValidationError', 413: 'ContentTooLarge' } as const;

describe(`any JSON (SEED=${SEED} ROUNDS=${chooseRounds(1)} repeats it)`, () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  const statuses = new Map<number, number>();
  const accepted: Metric[] = [];

  it('gets 202, 400 or 413', async function () {
    this.timeout(120_000 + 2000 * ROUNDS);
    await fc.assert(
      fc.asyncProperty(bodiesAround(NOW), async (bodies) => {
        for (const body of bodies) await send(body);
      }),
      { seed: SEED, numRuns: ROUNDS },
    );
    // The bodies of a round that can get nothing else: batches, JSON that is none, and the one that is too large.
    for (const [status, least] of Object.entries({ 202: 6, 400: 3, 413: 1 }))
      expect(statuses.get(Number(status)), status).to.be.at.least(least * ROUNDS);
  });

  it('with a 202 is counted or refused with a reason, metric by metric', async () => {
    const counted = accepted.filter(isCountable);
    const { total } = await world.settled();
    expect(total).to.deep.equal({
      received: accepted.length,
      counted: counted.length,
      refused: accepted.length - counted.length,
      duplicate: 0,
      dead: 0,
    });
    expect(counted).to.have.length.above(accepted.length / 10);
    const refusals = await world.query<{ reason: string; metrics: number }>(
      "select reason, toUInt32(sum(r.count)) as metrics from refusals as r where kind = 'metric' group by reason",
    );
    expect(refusals.reduce((sum, { metrics }) => sum + metrics, 0)).to.equal(total.refused);
    expect(REFUSAL_REASONS).to.include.members(refusals.map(({ reason }) => reason));
  });

  it('with a 202 is counted to the last evaluation', async () => {
    const metrics = accepted.filter(isCountable).map((metric) => ({ ...metric, timestamp: null }));
    const expected = Object.entries(sumsOfMetrics(metrics, 0)).map(
      ([key, sum]) => [key, BigInt.asUintN(64, sum)] as const,
    );
    expect(await readSums(world)).to.deep.equal(Object.fromEntries(expected));
  });

  async function send(body: string): Promise<void> {
    const answer = await post(ingest, { body });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    if (answer.status === 202) accepted.push(...(JSON.parse(body) as Batch).metrics); // or it was no batch
    else expectProblem(answer);
  }
});

function expectProblem(answer: Answer): void {
  expect(answer.status).to.be.oneOf([400, 413]);
  expect(problemOf(answer).name).to.equal(NAMES[answer.status === 400 ? 400 : 413]);
}

/** The rules of refusals, written again in the simplest way. */
function isCountable({ featureName, appName, environment, timestamp, variants }: Metric): boolean {
  const at = timestamp == null ? NOW : (parseTimestamp(timestamp) ?? NaN);
  const variantNames = Object.keys(variants ?? {});
  return (
    [featureName, appName, ...variantNames].every(isGoodName) &&
    environment === 'production' &&
    at >= NOW - 720 * HOUR_MS &&
    at <= NOW + 14 * HOUR_MS &&
    variantNames.length <= 100
  );
}

function isGoodName(name: string): boolean {
  const isStorable = Buffer.from(name, 'utf8').toString('utf8') === name;
  const hasControls = Array.from(name).some(
    (character) => character < ' ' || (character >= '\x7f' && character <= '\x9f'),
  );
  return name.length > 0 && name.length <= 255 && isStorable && !hasControls;
}

type Sum = { readonly feature: string; readonly app: string; readonly what: string; readonly sum: string };

/** The stored counts, added up over all hours, with the keys of naive sums of hour 0. */
async function readSums(world: World): Promise<NaiveSums> {
  const rows = await world.query<Sum>(
    `select feature_name as feature, app_name as app, what, toString(sum(amount)) as sum
     from (
       select feature_name, app_name, 'reports' as what, reports as amount from usage_by_hour
       union all select feature_name, app_name, 'yes', yes from usage_by_hour
       union all select feature_name, app_name, 'no', no from usage_by_hour
       union all select feature_name, app_name, concat('variant ', variant), count from variants_by_hour
     )
     group by feature, app, what`,
  );
  return Object.fromEntries(
    rows.map(({ feature, app, what, sum }) => [
      JSON.stringify([feature, app, 'production', 0, what]),
      BigInt(sum),
    ]),
  );
}
