import { expect } from 'chai';
import fc from 'fast-check';
import { dayOf, startOfDayMs, compileGuard } from '#base/schema';
import { type Block, type CountSums, numberOfBillionths } from '#core/counting';
import { blocksOf, documentOf } from '../../../../services/cli/sample/index.ts';
import { exchangeSchema } from '../../../../services/admin/doors/exchange/index.ts';

const HOUR_MS = 3_600_000;
/** A Thursday. */
const MADE_AT = Date.UTC(2026, 10, 19, 16, 20);

/** Any second of some years. */
const moments = fc
  .integer({ min: Date.UTC(2026, 0) / 1000, max: Date.UTC(2029, 0) / 1000 })
  .map((second) => second * 1000);

describe('The sample', () => {
  describe('its document', () => {
    it('is a document of flagmeter export', () => {
      const isExchange = compileGuard(exchangeSchema);
      expect(isExchange(documentOf(MADE_AT)), JSON.stringify(isExchange.errors)).to.equal(true);
    });

    it('is the same for the same moment, and has other uids for another one', () => {
      expect(documentOf(MADE_AT)).to.deep.equal(documentOf(MADE_AT));
      expect(uidsOf(MADE_AT)).to.not.have.any.members(uidsOf(MADE_AT + 1000));
    });

    it('has 40 features in 4 projects, in 3 environments each', () => {
      const { projects, features, feature_environments: states } = documentOf(MADE_AT);
      expect(projects).to.have.length(4);
      expect(new Set(features.map(nameOf))).to.have.property('size', 40);
      expect(states).to.have.length(120);
    });

    it('says of each project and feature that it is a sample', () => {
      const { projects, features } = documentOf(MADE_AT);
      for (const project of projects)
        expect(project)
          .to.have.property('name')
          .that.matches(/ \(sample\)$/);
      for (const feature of features)
        expect(feature)
          .to.have.property('description')
          .that.matches(/^Sample: /);
    });

    it('has no event after the moment at which it was made, and gives each event its own uid', () => {
      fc.assert(
        fc.property(moments, (madeAt) => {
          for (const event of documentOf(madeAt).events) expect(timeOf(event)).to.be.at.most(madeAt);
          expect(new Set(uidsOf(madeAt))).to.have.property('size', uidsOf(madeAt).length);
        }),
        { numRuns: 20 },
      );
    });

    it('has people who cannot sign in, and each change is by one of them', () => {
      const { users, events, change_requests: requests } = documentOf(MADE_AT);
      for (const user of users) expect(user).to.have.property('deleted_at').that.is.a('string');
      const uids = users.map((user) => (user as { uid: string }).uid);
      for (const change of [...events, ...requests])
        expect(uids).to.include((change as { user: string }).user);
    });

    it('records each widening of a rollout with the strategy before and after', () => {
      const widened = documentOf(MADE_AT).events.filter(
        (event) => nameOf(event) === 'checkout-one-page' && typeOf(event) === 'feature-strategy-update',
      );
      expect(widened.map(rolloutsOf)).to.deep.equal([
        ['5', '10'],
        ['10', '25'],
        ['25', '50'],
        ['50', '75'],
      ]);
    });
  });

  describe('its evaluations', () => {
    const blocks = [...blocksOf(MADE_AT)];

    it('are the same for the same moment', () => {
      expect([...blocksOf(MADE_AT)].map(digestOf)).to.deep.equal(blocks.map(digestOf));
    });

    it('fill 35 days and the hours of today that have begun, whatever the time', () => {
      fc.assert(
        fc.property(moments, (madeAt) => {
          const hours = [...blocksOf(madeAt)].flatMap(({ sums }) => hoursOf(sums));
          expect(Math.min(...hours)).to.equal(startOfDayMs(dayOf(madeAt) - 35));
          expect(Math.max(...hours)).to.be.within(madeAt - 2 * HOUR_MS, madeAt);
        }),
        { numRuns: 3 },
      );
    });

    it('never have more variants than enabled evaluations, and serve them near their weights', () => {
      const served = totalsOf(blocks, 'search-ranking-v3').variants;
      const all = [...served.values()].reduce((sum, count) => sum + count, 0);
      const shares = Object.fromEntries([...served].map(([name, count]) => [name, count / all]));
      expect(all).to.equal(totalsOf(blocks, 'search-ranking-v3').yes);
      expect(shares['current']).to.be.closeTo(0.5, 0.005);
      expect(shares['margin']).to.be.closeTo(0.25, 0.005);
      expect(shares['relevance']).to.be.closeTo(0.25, 0.005);
    });

    it('are more on Sunday than on Tuesday, and more in the evening than at night', () => {
      const [sunday, tuesday] = [Date.UTC(2026, 10, 15), Date.UTC(2026, 10, 17)];
      expect(evaluationsAt(blocks, sunday + 19 * HOUR_MS)).to.be.above(
        1.1 * evaluationsAt(blocks, tuesday + 19 * HOUR_MS),
      );
      expect(evaluationsAt(blocks, tuesday + 19 * HOUR_MS)).to.be.above(
        5 * evaluationsAt(blocks, tuesday + 3 * HOUR_MS),
      );
    });

    it('are all counted, in blocks that follow each other', () => {
      expect(blocks.map(({ range }) => [range.from, range.to])).to.deep.equal(
        blocks.map((_block, index) => [BigInt(index), BigInt(index + 1)]),
      );
      for (const { tally } of blocks) expect(tally.counted).to.equal(tally.received).and.be.above(0);
    });
  });

  describe('its samples', () => {
    const blocks = [...blocksOf(MADE_AT)];
    const rateOf = (metric: string, feature: string, arm: string): number =>
      measuredBy(blocks, { metric, feature, arm }) / exposuresOf(blocks, feature, arm);

    it('are all counted, from production only', () => {
      for (const { impact } of blocks) {
        expect(impact.tally.counted).to.equal(impact.tally.received).and.be.above(0);
        expect(new Set(impact.series.map(({ environment }) => environment))).to.deep.equal(
          new Set(['production']),
        );
      }
    });

    it('tell of a rollout that sells more, and of one that causes errors', () => {
      const effectOf = (metric: string, feature: string) =>
        rateOf(metric, feature, 'enabled') / rateOf(metric, feature, 'disabled');
      expect(effectOf('purchases', 'checkout-one-page')).to.be.closeTo(1.143, 0.02);
      expect(effectOf('request_errors', 'checkout-one-page')).to.be.closeTo(1, 0.05);
      expect(effectOf('request_errors', 'product-review-summary')).to.be.closeTo(1.525, 0.06);
    });

    it('have buckets that add up to their observations', () => {
      const histograms = blocks
        .flatMap(({ impact }) => impact.series)
        .filter(({ type }) => type === 'histogram');
      expect(histograms).to.have.length.above(1000);
      for (const { observations, buckets } of histograms)
        expect([...buckets.values()].reduce((sum, count) => sum + count, 0n)).to.equal(observations);
    });
  });
});

type Measured = { readonly metric: string; readonly feature: string; readonly arm: string };

function measuredBy(blocks: readonly Block[], { metric, feature, arm }: Measured): number {
  const series = blocks
    .flatMap(({ impact }) => impact.series)
    .filter(
      ({ name, labelNames, labelValues }) =>
        name === metric && labelValues[labelNames.indexOf(feature)] === arm,
    );
  return numberOfBillionths(series.reduce((sum, { total }) => sum + total, 0n));
}

/** Of the application that sends the metrics. */
function exposuresOf(blocks: readonly Block[], feature: string, arm: string): number {
  const rows = blocks
    .flatMap(({ sums }) => rowsOf(sums))
    .filter((row) => row.feature === feature && row.app === 'sample-web' && row.environment === 'production');
  return rows.reduce((sum, { yes, no }) => sum + (arm === 'enabled' ? yes : no), 0);
}

function uidsOf(madeAt: number): string[] {
  const { events, change_requests: requests } = documentOf(madeAt);
  return [...events, ...requests].map((record) => String({ uid: undefined, ...record }.uid));
}

function nameOf(record: object): string {
  const { name, feature_name: featureName }: Record<string, unknown> = { ...record };
  return String(name ?? featureName);
}

function typeOf(record: object): unknown {
  return { type: undefined, ...record }.type;
}

function timeOf(record: object): number {
  return Date.parse(String({ created_at: undefined, ...record }.created_at));
}

type Strategy = { readonly parameters: { readonly rollout: string } };

function rolloutsOf(event: object): string[] {
  const { pre_data: before, data: after } = event as { pre_data: Strategy; data: Strategy }; // of an update
  return [before.parameters.rollout, after.parameters.rollout];
}

function rowsOf(sums: CountSums) {
  return Array.from({ length: sums.rowCount }, (_, row) => {
    const variants = new Map<string, number>();
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at))
      variants.set(sums.names[sums.nameOfVariant(at)] ?? '', sums.countOfVariant(at));
    const feature = sums.names[sums.featureOf(row)] ?? '';
    const group = sums.groupOf(row);
    const hourMs = sums.hourOf(group) * HOUR_MS;
    const [app, environment] = [sums.appOf(group), sums.environmentOf(group)].map((id) => sums.names[id]);
    return { feature, app, environment, hourMs, yes: sums.yesOf(row), no: sums.noOf(row), variants };
  });
}

function hoursOf(sums: CountSums): number[] {
  return Array.from({ length: sums.groupCount }, (_, group) => sums.hourOf(group) * HOUR_MS);
}

function digestOf({ sums, days, tally, impact }: Block): unknown[] {
  return [sums.rowCount, sums.variantCount, [...days], tally, [...impact.days]];
}

function totalsOf(blocks: readonly Block[], name: string) {
  const rows = blocks
    .flatMap(({ sums }) => rowsOf(sums))
    .filter(({ feature, variants }) => feature === name && variants.size > 0);
  const variants = new Map<string, number>();
  for (const row of rows)
    for (const [variant, count] of row.variants) variants.set(variant, (variants.get(variant) ?? 0) + count);
  return { variants, yes: rows.reduce((sum, { yes }) => sum + yes, 0) };
}

function evaluationsAt(blocks: readonly Block[], hour: number): number {
  return blocks
    .flatMap(({ sums }) => rowsOf(sums))
    .filter(({ hourMs }) => hourMs === hour)
    .reduce((sum, { yes, no }) => sum + yes + no, 0);
}
