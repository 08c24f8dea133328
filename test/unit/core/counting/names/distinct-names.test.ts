import { expect } from 'chai';
import { DistinctNames, type NameKind, aggregateBatch, validateBatch } from '#core/counting';
import { readFast } from '../fast-path/both-paths.ts';
import {
  RECEIVED_AT,
  aBatch,
  aMetric,
  anApplication,
  aggregate,
  aggregateMetrics,
  aggregateOptions,
} from '../../../../support/builders/builders.ts';
import { DEFAULT_NAME_LIMITS } from '../../../../support/builders/name-limits.ts';

const HOUR = 500_000;

describe('DistinctNames', () => {
  it('admits as many names of a kind as the limit allows, and known names always', () => {
    const names = withLimits({ feature: 3 }).of('token', HOUR);

    const admitted = [1, 2, -5, 7, 1, 2, -5].filter((hash) => names.admit('feature', hash));

    expect(admitted).to.deep.equal([1, 2, -5, 1, 2, -5]);
    expect(names.admit('app', 7)).to.equal(true);
  });

  it('counts each token separately', () => {
    const names = withLimits({ app: 1 });

    send(names, { token: 'one', kind: 'app', hash: 1 });
    send(names, { token: 'other', kind: 'app', hash: 2 });
    expect(names.of('one', HOUR).admit('app', 1)).to.equal(true);
    expect(names.of('one', HOUR).admit('app', 2)).to.equal(false);
  });

  it('starts again with each hour', () => {
    const names = withLimits({ variant: 1 });
    send(names, { token: 'token', kind: 'variant', hash: 1 });

    expect(names.of('token', HOUR + 1).admit('variant', 2)).to.equal(true);
    expect(names.largestShare('variant', HOUR + 2)).to.equal(0);
    send(names, { token: 'token', kind: 'variant', hash: 1 });
    expect(names.largestShare('variant', HOUR)).to.equal(1);
    expect(names.largestShare('variant', HOUR + 1)).to.equal(0);
  });

  it('keeps no account of what a batch adds after its token was forgotten', () => {
    const names = withLimits({});
    const slow = names.of('slow', HOUR);
    for (let hash = 1; hash <= 1000; hash += 1) slow.admit('feature', hash);
    names.of('other', HOUR + 1);
    const before = names.bytes;
    slow.commit();
    expect(names.bytes).to.equal(before);
  });

  it('reports how close the closest token is to its limit', () => {
    const names = withLimits({ feature: 8 });
    send(names, { token: 'one', kind: 'feature', hash: 1 });
    for (const hash of [1, 2, 3, 4]) send(names, { token: 'other', kind: 'feature', hash });

    expect(names.largestShare('feature', HOUR)).to.equal(0.5);
    expect(names.largestShare('app', HOUR)).to.equal(0);
  });

  it('forgets the token that was silent for longest before it uses more memory', () => {
    const names = new DistinctNames({ ...DEFAULT_NAME_LIMITS, app: 1 }, 100_000);
    for (const token of ['silent', 'busy']) send(names, { token, kind: 'app', hash: 1 });
    for (let token = 0; token < 1000; token += 1) {
      names.of('busy', HOUR);
      send(names, { token: `token-${token}`, kind: 'app', hash: 1 });
      expect(names.bytes).to.be.lessThan(101_000);
    }

    expect(names.of('busy', HOUR).admit('app', 2)).to.equal(false);
    expect(names.of('silent', HOUR).admit('app', 2)).to.equal(true);
  });

  it('uses no quota for names that are not committed', () => {
    const names = withLimits({ feature: 2 });
    const refused = names.of('token', HOUR);
    expect([1, 2, 3, 1].map((hash) => refused.admit('feature', hash))).to.deep.equal([
      true,
      true,
      false,
      true,
    ]);
    expect(names.largestShare('feature', HOUR)).to.equal(0);

    const batchNames = names.of('token', HOUR);
    expect([4, 5, 1].map((hash) => batchNames.admit('feature', hash))).to.deep.equal([true, true, false]);
    batchNames.commit();
    expect(names.largestShare('feature', HOUR)).to.equal(1);
  });

  it('returns to a savepoint', () => {
    const names = withLimits({ feature: 2 }).of('token', HOUR);
    names.admit('feature', 1);
    const savepoint = names.savepoint();
    names.admit('feature', 2);
    names.rollBack(savepoint);
    expect([3, 1, 2].map((hash) => names.admit('feature', hash))).to.deep.equal([true, true, false]);
  });

  it('distinguishes thousands of names', () => {
    const names = withLimits({ feature: 5000 });
    const aggregated = aggregateMetrics(
      Array.from({ length: 6000 }, (_, index) => aMetric({ featureName: `feature-${index}` })),
      { names: names.of('token', HOUR) },
    );

    expect(aggregated.refusals.reduce((sum, { metrics }) => sum + metrics, 0)).to.be.within(990, 1000);
  });
});

describe('a batch with more names than its token may send', () => {
  const rows = [
    { kind: 'feature', reason: 'too_many_features', sample: 'featureName: b', metric: { featureName: 'b' } },
    { kind: 'app', reason: 'too_many_apps', sample: 'appName: b', metric: { appName: 'b' } },
    {
      kind: 'environment',
      reason: 'too_many_environments',
      sample: 'environment: b',
      metric: { environment: 'b' },
    },
    {
      kind: 'variant',
      reason: 'too_many_variant_names',
      sample: '1 variants',
      metric: { variants: { b: 1 } },
    },
    { kind: 'row', reason: 'too_many_rows', sample: '0 variants', metric: { featureName: 'b' }, limit: 2 },
    {
      kind: 'row',
      reason: 'too_many_rows',
      sample: '2 variants',
      metric: { variants: { a: 1, b: 1 } },
      limit: 2,
    },
  ] as const;

  for (const { kind, reason, sample, metric, ...rest } of rows) {
    it(`has metrics refused with the reason ${reason}: ${sample}`, () => {
      const first = aMetric({ variants: { a: 1 } });
      const names = withLimits({ [kind]: 'limit' in rest ? rest.limit : 1 }).of('token', HOUR);
      const { refusals, sums } = aggregateMetrics([first, aMetric(metric), first], { names });

      expect(refusals.map((refusal) => [refusal.reason, refusal.sample, refusal.metrics])).to.deep.equal([
        [reason, sample, 1],
      ]);
      expect(sums.rowCount).to.equal(1);
    });
  }

  it('has applications refused, too', () => {
    const names = withLimits({ app: 1, environment: 1, instance: 2 }).of('token', HOUR);
    const applications = [
      anApplication({ appName: 'a', instanceId: '1' }),
      anApplication({ appName: 'a', instanceId: null }),
      anApplication({ appName: 'a', instanceId: '3' }),
      anApplication({ appName: 'b', instanceId: '1' }),
      anApplication({ appName: 'a', environment: 'other' }),
    ];
    const aggregated = aggregate(aBatch({ applications, metrics: [] }), { names });

    expect(aggregated.refusals.map(({ kind, reason, sample }) => [kind, reason, sample])).to.deep.equal([
      ['application', 'too_many_instances', 'instanceId: 3'],
      ['application', 'too_many_apps', 'appName: b'],
      ['application', 'too_many_environments', 'environment: other'],
    ]);
    expect(aggregated.applications).to.deep.equal(applications.slice(0, 2));
  });

  it('has applications refused that have too many strategies, projects or relays', () => {
    const names = withLimits({ strategy: 2, project: 3 }).of('token', HOUR);
    const applications = [
      anApplication({ strategies: ['a', 'b', 'a'], projects: ['x', 'x'] }),
      anApplication({ strategies: ['c'] }),
      anApplication({ environment: 'other', projects: ['x', 'y'] }),
      anApplication({ environment: 'other', projects: ['x', 'y', 'z'] }),
      anApplication({ strategies: Array.from({ length: 101 }, () => 'a') }),
      anApplication({ projects: Array.from({ length: 501 }, () => 'x') }),
      anApplication({ connectVia: Array.from({ length: 11 }, () => ({ appName: 'r', instanceId: 'i' })) }),
    ];
    const aggregated = aggregate(aBatch({ applications, metrics: [] }), { names });

    expect(aggregated.refusals.map(({ reason, sample }) => [reason, sample])).to.deep.equal([
      ['too_many_strategy_names', '1 strategies'],
      ['too_many_project_names', '3 projects'],
      ['too_many_strategies', '101 strategies'],
      ['too_many_projects', '501 projects'],
      ['too_many_relays', '11 relays'],
    ]);
    expect(aggregated.applications).to.deep.equal([applications[0], applications[2]]);
  });

  it('counts the same row once, whichever path reads it', () => {
    const names = withLimits({ row: 3 }).of('token', HOUR);
    const metrics = [aMetric({ variants: { a: 1, b: 0 } }), aMetric({ appName: 'other' })];
    const body = Buffer.from(JSON.stringify(aBatch({ metrics })));

    expect(readFast(body, aggregateOptions({ names }))?.received).to.equal(2);
    expect(aggregateMetrics(metrics, { names }).refusals).to.deep.equal([]);
    expect(readFast(body, aggregateOptions({ names }))?.received).to.equal(2);
    const later = aMetric({ timestamp: new Date(RECEIVED_AT - 3_600_000).toISOString() });
    expect(aggregateMetrics([later], { names }).refusals).to.have.length(1);
    expect(
      readFast(Buffer.from(JSON.stringify(aBatch({ metrics: [later] }))), aggregateOptions({ names })),
    ).to.equal(undefined);
  });

  it('uses no quota for metrics that are refused for other reasons', () => {
    const names = withLimits({ feature: 1 }).of('token', HOUR);
    const { refusals } = aggregateMetrics(
      [aMetric({ featureName: 'old', timestamp: '1999-01-01T00:00:00Z' }), aMetric()],
      { names },
    );

    expect(refusals.map(({ reason }) => reason)).to.deep.equal(['too_old']);
  });

  it('uses no quota for any name of a metric that is refused because of one of them', () => {
    const names = withLimits({ feature: 1, app: 2, variant: 2, instance: 1 }).of('token', HOUR);
    const variants = { a: 1, b: 1, c: 1 };
    const { refusals } = aggregate(
      aBatch({
        metrics: [
          aMetric({ appName: 'a' }),
          aMetric({ appName: 'b', featureName: 'one too many' }),
          aMetric({ appName: 'a', variants }),
          aMetric({ appName: 'c', variants: { d: 1, e: 1 } }),
        ],
        applications: [anApplication({ appName: 'c' }), anApplication({ appName: 'c', instanceId: 'other' })],
      }),
      { names },
    );

    expect(refusals.map(({ reason }) => reason)).to.have.members([
      'too_many_features',
      'too_many_variant_names',
      'too_many_instances',
    ]);
  });

  it('uses no quota for a body of the fast path that does not fit', () => {
    const names = withLimits({ feature: 1, variant: 1 }).of('token', HOUR);
    const metrics = ['f', 'g'].map((featureName) => aMetric({ featureName, timestamp: null }));
    expect(readFast(Buffer.from(JSON.stringify(aBatch({ metrics }))), aggregateOptions({ names }))).to.equal(
      undefined,
    );
    expect(names.admit('feature', 1)).to.equal(true);
  });

  it('falls back from the fast path to the general one, which knows the same names', () => {
    const names = withLimits({ feature: 2 }).of('token', HOUR);
    const options = aggregateOptions({ names });
    const body = (...features: string[]): Buffer =>
      Buffer.from(
        `{"applications":[],"metrics":[${features.map((name) => `{"featureName":"${name}","appName":"a","environment":"e","yes":1}`).join()}]}`,
      );

    expect(readFast(body('one', 'two', 'one'), options)?.received).to.equal(3);
    expect(readFast(body('two', 'three'), options)).to.equal(undefined);
    const result = validateBatch(JSON.parse(body('two', 'three').toString()));
    const aggregated = 'batch' in result ? aggregateBatch(result.batch, options) : undefined;
    expect(aggregated?.refusals.map(({ featureName }) => featureName)).to.deep.equal(['three']);
    expect(aggregated?.sums.rowCount).to.equal(1);
    expect(readFast(body('two', 'one'), options)?.received).to.equal(2);
  });
});

/** A batch that names one feature, application or other kind. */
function send(names: DistinctNames, name: { token: string; kind: NameKind; hash: number }): void {
  const batch = names.of(name.token, HOUR);
  batch.admit(name.kind, name.hash);
  batch.commit();
}

function withLimits(limits: Partial<typeof DEFAULT_NAME_LIMITS>): DistinctNames {
  return new DistinctNames({ ...DEFAULT_NAME_LIMITS, ...limits });
}
