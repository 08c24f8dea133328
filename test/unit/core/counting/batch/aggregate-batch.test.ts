import { expect } from 'chai';
import fc from 'fast-check';
import { hourOf } from '#base/schema';
import { DEFAULT_REFUSAL_LIMITS, type Metric, type RefusalReason } from '#core/counting';
import { batches, reorderedBatches } from '../../../../support/builders/arbitraries.ts';
import {
  RECEIVED_AT,
  aBatch,
  aMetric,
  anApplication,
  decoded,
  encodeAggregated,
  aggregate,
  aggregateMetric,
  aggregateMetrics,
} from '../../../../support/builders/builders.ts';
import { rowsOf, sumsOfCounts, sumsOfMetrics, totalOf } from '../../../../support/model/naive-sums.ts';

const NUL = 'a\u0000b';
const { maxAgeMs, maxFutureMs } = DEFAULT_REFUSAL_LIMITS;

const REFUSED: readonly (readonly [title: string, metric: Partial<Metric>, reason: RefusalReason])[] = [
  ['no feature name', { featureName: '' }, 'empty_name'],
  ['no app name', { appName: '' }, 'empty_name'],
  ['no environment', { environment: '' }, 'empty_name'],
  ['a variant without a name', { variants: { '': 1 } }, 'empty_name'],
  ['a feature name of 256', { featureName: 'x'.repeat(256) }, 'name_too_long'],
  ['an app name of 300', { appName: 'x'.repeat(300) }, 'name_too_long'],
  ['an environment of 101', { environment: 'x'.repeat(101) }, 'name_too_long'],
  ['a variant name of 256', { variants: { ['x'.repeat(256)]: 1 } }, 'name_too_long'],
  ['NUL in the feature name', { featureName: NUL }, 'invalid_character'],
  ['NUL in the app name', { appName: NUL }, 'invalid_character'],
  ['NUL in the environment', { environment: NUL }, 'invalid_character'],
  ['NUL in a variant name', { variants: { [NUL]: 1 } }, 'invalid_character'],
  ['a tab', { featureName: 'a\tb' }, 'invalid_character'],
  ['a C1 control character', { featureName: 'a\u0085b' }, 'invalid_character'],
  ['half a surrogate pair', { featureName: 'a\ud83d' }, 'invalid_character'],
  ['an age past the limit', { timestamp: isoAt(-maxAgeMs - 1) }, 'too_old'],
  ['the year 1867', { timestamp: '1867-03-30T12:00:00Z' }, 'too_old'],
  ['a time past the limit', { timestamp: isoAt(maxFutureMs + 1) }, 'in_the_future'],
  ['the year 2099', { timestamp: '2099-01-01T00:00:00Z' }, 'in_the_future'],
  ['101 variants', { variants: variantsOf(101) }, 'too_many_variants'],
];

const COUNTED: readonly (readonly [title: string, metric: Partial<Metric>])[] = [
  ['names of 255', { featureName: 'x'.repeat(255), appName: 'y'.repeat(255) }],
  ['an environment of 100', { environment: 'x'.repeat(100) }],
  ['a variant name of 255', { variants: { ['x'.repeat(255)]: 1 } }],
  ['100 variants', { variants: variantsOf(100) }],
  ['the greatest age', { timestamp: isoAt(-maxAgeMs) }],
  ['the farthest future', { timestamp: isoAt(maxFutureMs) }],
  ['a whole surrogate pair', { featureName: '🧺' }],
  ['a name made of spaces', { featureName: ' ' }],
  ['yes = no = 0', { yes: 0, no: 0 }],
  ['no counts at all', {}],
  ['nulls for the counts', { yes: null, no: null, variants: null }],
];

describe('aggregateBatch', () => {
  for (const [title, metric, reason] of REFUSED) {
    it(`refuses a metric with ${title} as ${reason} and counts the others`, () => {
      const aggregated = aggregateMetrics([aMetric({ yes: 1 }), aMetric(metric), aMetric({ yes: 2 })]);
      expect(aggregated.refusals.map((refusal) => [refusal.reason, refusal.metrics])).to.deep.equal([
        [reason, 1],
      ]);
      expect(totalOf(sumsOfCounts(aggregated.sums), 'yes')).to.equal(3n);
    });
  }

  for (const [title, metric] of COUNTED) {
    it(`counts a metric with ${title} as one report`, () => {
      const aggregated = aggregateMetric(metric);
      expect(aggregated.refusals).to.deep.equal([]);
      expect(totalOf(sumsOfCounts(aggregated.sums), 'reports')).to.equal(1n);
    });
  }

  it('refuses an environment that the token does not allow', () => {
    const aggregated = aggregateMetric({ environment: 'development' }, { allowedEnvironment: 'production' });
    expect(aggregated.refusals[0]?.reason).to.equal('environment_not_allowed');
  });

  it('counts the environment of the token', () => {
    const aggregated = aggregateMetric({ environment: 'production' }, { allowedEnvironment: 'production' });
    expect(aggregated.refusals).to.deep.equal([]);
  });

  it('does not treat the environment * of a metric as all environments', () => {
    const aggregated = aggregateMetric({ environment: '*' }, { allowedEnvironment: 'production' });
    expect(aggregated.refusals[0]?.reason).to.equal('environment_not_allowed');
  });

  it('counts every environment with a token for all', () => {
    const metrics = [aMetric({ environment: 'a' }), aMetric({ environment: 'b' })];
    expect(aggregateMetrics(metrics, { allowedEnvironment: '*' }).refusals).to.deep.equal([]);
  });

  it('counts a metric without a timestamp at the time of receipt', () => {
    const aggregated = aggregateMetrics([{ featureName: 'f', appName: 'a', environment: 'e' }]);
    expect(aggregated.sums.hourOf(0)).to.equal(hourOf(RECEIVED_AT));
  });

  it('counts a metric whose timestamp is null at the time of receipt', () => {
    expect(aggregateMetric({ timestamp: null }).sums.hourOf(0)).to.equal(hourOf(RECEIVED_AT));
  });

  it('names the refused metrics in displayable form', () => {
    const aggregated = aggregateMetric({ featureName: NUL, appName: 'x'.repeat(300), yes: 3 });
    expect(aggregated.refusals).to.deep.equal([
      {
        kind: 'metric',
        reason: 'invalid_character',
        featureName: 'a\uFFFDb',
        appName: 'x'.repeat(255),
        environment: 'production',
        metrics: 1,
        sample: 'featureName: a\uFFFDb',
        place: '/metrics/0',
      },
    ]);
  });

  it('adds up equal refusals', () => {
    const metrics = [aMetric({ featureName: '' }), aMetric({ featureName: '' })];
    expect(aggregateMetrics(metrics).refusals.map((refusal) => refusal.metrics)).to.deep.equal([2]);
  });

  it('leaves the names out beyond 100 distinct refusals, and still counts each refusal', () => {
    const metrics = Array.from({ length: 500 }, (_, n) => aMetric({ appName: `app-${n}`, featureName: '' }));
    const { refusals } = aggregateMetrics(metrics);
    expect(refusals).to.have.length(101);
    expect(refusals.at(-1)).to.include({ appName: '', reason: 'empty_name', metrics: 400 });
  });

  it('adds up metrics of the same feature, app, environment and hour', () => {
    const at = (minute: number) => new Date(Date.UTC(2026, 10, 21, 9, minute)).toISOString();
    const first = aMetric({ timestamp: at(1), yes: 5, variants: { blue: 2 } });
    const { sums } = aggregateMetrics([
      first,
      aMetric({ timestamp: at(59), yes: 2, no: 9, variants: { blue: 1 } }),
    ]);
    expect(rowsOf(sums)).to.have.lengthOf(1);
    expect(rowsOf(sums)[0]).to.include({ reports: 2, yes: 7, no: 9 });
  });

  it('keeps a variant named like a member of every object', () => {
    const variants: unknown = JSON.parse('{"__proto__":3,"toString":4}');
    const aggregated = aggregateMetrics([{ ...aMetric(), ...Object.fromEntries([['variants', variants]]) }]);
    expect(totalOf(sumsOfCounts(aggregated.sums), 'variant __proto__')).to.equal(3n);
  });

  it('adds up exactly beyond 2^53-1', () => {
    const metrics = Array.from({ length: 5 }, () =>
      aMetric({ yes: Number.MAX_SAFE_INTEGER, no: 1, variants: { a: 2 } }),
    );
    const sums = sumsOfCounts(aggregateMetrics(metrics).sums);
    expect(totalOf(sums, 'yes')).to.equal(5n * BigInt(Number.MAX_SAFE_INTEGER));
    expect(totalOf(sums, 'no')).to.equal(5n);
  });

  it('adds up variants exactly beyond 2^53-1', () => {
    const metrics = Array.from({ length: 3 }, () => aMetric({ variants: { blue: Number.MAX_SAFE_INTEGER } }));
    const sums = sumsOfCounts(aggregateMetrics(metrics).sums);
    expect(totalOf(sums, 'variant blue')).to.equal(3n * BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('refuses an application with a name that cannot be stored, and keeps the others', () => {
    const good = anApplication({ appName: 'good' });
    const aggregated = aggregate(
      aBatch({ applications: [anApplication({ appName: 'x'.repeat(300) }), good] }),
    );
    expect(aggregated.applications).to.deep.equal([good]);
    expect(aggregated.refusals[0]).to.include({ kind: 'application', reason: 'name_too_long', metrics: 1 });
  });

  for (const member of ['environment', 'instanceId', 'sdkVersion', 'sdkType']) {
    it(`refuses an application with NUL in ${member}`, () => {
      const aggregated = aggregate(aBatch({ applications: [anApplication({ [member]: NUL })] }));
      expect(aggregated.refusals[0]?.reason).to.equal('invalid_character');
    });
  }

  for (const member of ['strategies', 'projects']) {
    it(`refuses an application with NUL in one of its ${member}`, () => {
      const aggregated = aggregate(aBatch({ applications: [anApplication({ [member]: ['default', NUL] })] }));
      expect(aggregated.refusals[0]?.reason).to.equal('invalid_character');
    });
  }

  it('names the environment of a refused application, if it has one', () => {
    const applications = [anApplication({ appName: '', environment: 'dev' }), anApplication({ appName: '' })];
    const { refusals } = aggregate(aBatch({ applications }));
    expect(refusals.map(({ environment }) => environment)).to.deep.equal(['dev', '']);
  });

  it('does not count refused applications as received metrics', () => {
    expect(aggregate(aBatch({ applications: [anApplication({ appName: '' })] })).received).to.equal(0);
  });

  it('accounts for every metric: received = counted + refused', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const aggregated = aggregate(batch, { allowedEnvironment: 'production' });
        const refused = aggregated.refusals.filter(({ kind }) => kind === 'metric');
        const refusedMetrics = refused.reduce((sum, { metrics }) => sum + metrics, 0);
        const counted = totalOf(sumsOfCounts(aggregated.sums), 'reports');
        expect(counted + BigInt(refusedMetrics)).to.equal(BigInt(batch.metrics.length));
      }),
    );
  });

  it('accounts for every application: kept or refused', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const aggregated = aggregate(batch);
        const refused = aggregated.refusals.filter(({ kind }) => kind === 'application');
        const refusedApplications = refused.reduce((sum, { metrics }) => sum + metrics, 0);
        expect(aggregated.applications.length + refusedApplications).to.equal(batch.applications.length);
      }),
    );
  });

  it('returns the same sums for any order of the metrics', () => {
    fc.assert(
      fc.property(reorderedBatches, ([batch, reordered]) => {
        expect(sumsOfCounts(aggregate(reordered).sums)).to.deep.equal(sumsOfCounts(aggregate(batch).sums));
      }),
    );
  });

  it('returns the same sums as counting one by one', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const good = batch.metrics.filter((metric) => aggregateMetrics([metric]).refusals.length === 0);
        expect(sumsOfCounts(aggregate(batch).sums)).to.deep.equal(sumsOfMetrics(good, RECEIVED_AT));
      }),
    );
  });

  it('reports whether a metric has an exact time, which neither the start of an hour nor the receipt is', () => {
    const [hour, exact] = ['2025-11-22T10:00:00Z', '2025-11-22T10:00:00.001Z'];
    const hasExactTime = (...timestamps: (string | null)[]) =>
      aggregateMetrics(timestamps.map((timestamp) => aMetric({ timestamp }))).hasExactTime;

    expect(RECEIVED_AT % 3_600_000).not.to.equal(0);
    expect([hasExactTime(), hasExactTime(null), hasExactTime(hour, null)]).to.deep.equal([
      false,
      false,
      false,
    ]);
    expect([hasExactTime(exact), hasExactTime(exact, hour), hasExactTime(null, exact)]).to.deep.equal([
      true,
      true,
      true,
    ]);
  });

  it('accepts no batch that the message format cannot carry', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expect(decoded(encodeAggregated(aggregate(batch))).received).to.equal(batch.metrics.length);
      }),
    );
  });
});

function isoAt(distanceMs: number): string {
  return new Date(RECEIVED_AT + distanceMs).toISOString();
}

function variantsOf(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`variant-${n}`, 1]));
}
