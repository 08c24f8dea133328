import { expect } from 'chai';
import { findDifferences } from '#core/accounting';
import type { Metric } from '#core/counting';
import { eventually } from '../../../support/eventually.ts';
import { type Answer, aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { sharedCounting, tokenIdOf, usageOf } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LONG = 'x'.repeat(300);

type Row = { readonly title: string; readonly members: Partial<Metric> };

/** Each is sent by its own application, between two good metrics. `shown`: the names in the view. */
const REFUSED: readonly (Row & { reason: string; shown?: Record<string, string> })[] = [
  {
    title: 'a NUL in its feature',
    members: { featureName: 'bad\0name' },
    reason: 'invalid_character',
    shown: { feature_name: 'bad\uFFFDname' },
  },
  {
    title: 'a line break in its feature',
    members: { featureName: 'bad\nname' },
    reason: 'invalid_character',
    shown: { feature_name: 'bad\uFFFDname' },
  },
  {
    title: 'half a character in its feature',
    members: { featureName: 'bad\uD800name' },
    reason: 'invalid_character',
    shown: { feature_name: 'bad\uFFFDname' },
  },
  {
    title: 'a feature of 300 characters',
    members: { featureName: LONG },
    reason: 'name_too_long',
    shown: { feature_name: LONG.slice(0, 255) },
  },
  {
    title: 'an empty feature',
    members: { featureName: '' },
    reason: 'empty_name',
    shown: { feature_name: '' },
  },
  {
    title: 'an environment of 101 characters',
    members: { environment: 'e'.repeat(101) },
    reason: 'name_too_long',
    shown: { environment: 'e'.repeat(101) },
  },
  {
    title: 'an environment that the token does not allow',
    members: { environment: 'development' },
    reason: 'environment_not_allowed',
    shown: { environment: 'development' },
  },
  { title: 'an age of 31 days', members: { timestamp: ago(31 * DAY_MS) }, reason: 'too_old' },
  { title: 'a year of 1867', members: { timestamp: '1867-07-01T00:00:00Z' }, reason: 'too_old' },
  { title: 'a time in 15 hours', members: { timestamp: ago(-15 * HOUR_MS) }, reason: 'in_the_future' },
  { title: 'a year of 2099', members: { timestamp: '2099-01-01T00:00:00Z' }, reason: 'in_the_future' },
  { title: '101 variants', members: { variants: someVariants(101) }, reason: 'too_many_variants' },
  { title: 'a variant of 300 characters', members: { variants: { [LONG]: 1 } }, reason: 'name_too_long' },
  { title: 'a variant without a name', members: { variants: { '': 1 } }, reason: 'empty_name' },
  { title: 'a NUL in a variant', members: { variants: { 'a\0b': 1 } }, reason: 'invalid_character' },
];

/** Just within the limits. */
const COUNTED: readonly Row[] = [
  { title: 'a feature of 255 characters', members: { featureName: `255${'x'.repeat(252)}` } },
  { title: 'an age of 29 days', members: { featureName: 'old', timestamp: ago(29 * DAY_MS) } },
  { title: 'a time in 50 minutes', members: { featureName: 'soon', timestamp: ago(-50 * 60_000) } },
  { title: '100 variants', members: { featureName: 'varied', variants: someVariants(100) } },
  { title: 'a name of other scripts', members: { featureName: 'функция-機能-🚀' } },
  { title: 'a name that objects have', members: { featureName: '__proto__', variants: { constructor: 1 } } },
];

describe('a metric that fits the schema but is not counted', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);
  let answers: Answer[];
  let tokenId: string;

  before(async () => {
    tokenId = await tokenIdOf(world, 'client', 'production');
    const bodies = [
      ...REFUSED.map(({ members }, index) => {
        const appName = `app-${index}`;
        const neighbour = aFreshMetric({ featureName: `beside-${index}`, appName, yes: 1 });
        return bodyOf({ metrics: [neighbour, aFreshMetric({ appName, yes: 5, ...members }), neighbour] });
      }),
      bodyOf({ metrics: COUNTED.map(({ members }) => aFreshMetric({ yes: 1, ...members })) }),
      bodyOf({ metrics: [aFreshMetric({ appName: 'bad\0app' }), aFreshMetric({ appName: LONG })] }),
      bodyOf({
        metrics: Array.from({ length: 7 }, () => aFreshMetric({ appName: 'same', featureName: '' })),
      }),
      bodyOf({
        applications: [{ appName: 'bad\0application' }, { appName: 'good-application' }],
        metrics: [aFreshMetric({ featureName: 'beside-application', yes: 1 })],
      }),
    ];
    answers = await Promise.all(bodies.map((body) => post(ingest, { body })));
    await world.settled();
  });

  it('still gets 202', () => {
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from(answers, () => 202));
  });

  for (const [index, { title, reason, shown = {} }] of REFUSED.entries()) {
    it(`is visible with its reason: ${title}`, async () => {
      const refusals = await refusalsOf(`app-${index}`);
      const names = { environment: 'production', feature_name: 'new-basket', ...shown };
      expect(refusals).to.deep.equal([{ kind: 'metric', reason, token_id: tokenId, ...names, count: 1 }]);
    });

    it(`does not affect the other metrics: ${title}`, async () => {
      expect(await usageOf(world, `beside-${index}`)).to.deep.equal({ yes: 2, no: 0, reports: 2 });
    });
  }

  for (const { title, members } of COUNTED) {
    it(`does not include one with ${title}`, async () => {
      const usage = await usageOf(world, members.featureName ?? '');
      expect(usage).to.deep.equal({ yes: 1, no: 0, reports: 1 });
    });
  }

  it('is visible if its application has a bad name', async () => {
    expect(await refusalsOf('bad\uFFFDapp')).to.have.length(1);
    expect(await refusalsOf(LONG.slice(0, 255))).to.have.length(1);
  });

  it('is visible with a sample of the refused value', async () => {
    const samples = await world.query<{ sample: string }>(
      `select distinct sample
       from refusals
       where reason in ('too_old', 'too_many_variants')
       order by sample`,
    );
    expect(samples.map(({ sample }) => sample)).to.include('timestamp: 1867-07-01T00:00:00Z');
    expect(samples.map(({ sample }) => sample)).to.include('101 variants');
    expect(await world.query(`select sample from refusals where sample = ''`)).to.deep.equal([]);
  });

  it('is added up with others of the same names', async () => {
    const refusals = await refusalsOf('same');
    expect(refusals.map(({ count }) => count)).to.deep.equal([7]);
  });

  it('may be an application, without effect on the metrics and the other applications', async () => {
    const [refusal] = await refusalsOf('bad\uFFFDapplication');
    expect(refusal).to.include({ kind: 'application', reason: 'invalid_character' });
    expect(await usageOf(world, 'beside-application')).to.include({ yes: 1 });
    // Applications have their own topic, which may lag behind.
    const { rows } = await eventually(
      () => world.db.query('select app_name from client_applications'),
      (result) => result.rows.length > 0,
    );
    expect(rows).to.deep.equal([{ app_name: 'good-application' }]);
  });

  it('is in the accounting: received = counted + refused', async () => {
    const { total, ...accounting } = await world.settled();
    expect(findDifferences(accounting)).to.deep.equal([]);
    expect(total).to.deep.equal({
      received: REFUSED.length * 3 + COUNTED.length + 10,
      counted: REFUSED.length * 2 + COUNTED.length + 1,
      refused: REFUSED.length + 9,
      duplicate: 0,
      dead: 0,
    });
  });

  function refusalsOf(appName: string): Promise<Record<string, unknown>[]> {
    return world.query(
      `select kind, reason, token_id, environment, feature_name, toUInt32(r.count) as count
       from refusals as r
       where app_name = {appName:String}`,
      { appName },
    );
  }
});

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

function someVariants(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`variant-${index}`, 1]));
}
