import { expect } from 'chai';
import fc from 'fast-check';
import { batchOfSdkMetrics, batchOfSdkRegistration, seenTokensOf, validateBatch } from '#core/counting';

const OF_PRODUCTION = { environment: 'production', projects: ['payments'] };
const OF_ALL = { environment: '*', projects: [] };
const STOP = '2026-11-21T10:15:00.000Z';

describe('batchOfSdkMetrics', () => {
  it('makes a metric of each toggle, and an application', () => {
    const toggles = { basket: { yes: 3, no: 1, variants: { blue: 2 } }, search: {} };
    const bucket = { stop: STOP, toggles };
    const platform = { platformName: 'node', platformVersion: 'v22.9.0', yggdrasilVersion: '0.17.3' };
    const flavor = { specVersion: '5.2.0', sdkFlavor: undefined, sdkFlavorVersion: undefined };
    const impactMetrics = [{ name: 'purchases' }];
    const about = { ...platform, specVersion: '5.2.0' };
    const body = { appName: 'shop', instanceId: 'i-1', environment: 'x', ...about, bucket, impactMetrics };
    const shared = { appName: 'shop', environment: 'production', timestamp: STOP };
    expect(batchOfSdkMetrics(body, OF_PRODUCTION)).to.deep.equal({
      batch: {
        applications: [
          {
            appName: 'shop',
            environment: 'production',
            instanceId: 'i-1',
            sdkVersion: null,
            sdkType: null,
            ...platform,
            ...flavor,
            projects: ['payments'],
          },
        ],
        metrics: [
          { ...shared, featureName: 'basket', yes: 3, no: 1, variants: { blue: 2 } },
          { ...shared, featureName: 'search', yes: null, no: null, variants: null },
        ],
      },
      impact: {
        metrics: impactMetrics,
        source: { appName: 'shop', environment: 'production', instanceId: 'i-1' },
      },
      hasExactTime: true,
      bucket: { appName: 'shop', environment: 'production', stop: STOP },
      span: undefined,
    });
  });

  it('has the time that the bucket covers, if the bucket has an instance, a start and an end', () => {
    const spanOf = (bucket: Record<string, unknown>, instanceId: string | null = 'i-1') => {
      const body = { appName: 'shop', instanceId, bucket: { toggles: {}, ...bucket } };
      const result = batchOfSdkMetrics(body, OF_PRODUCTION);
      return 'problems' in result ? result : result.span;
    };
    const start = '2026-11-21T10:14:00.000Z';
    const span = spanOf({ start, stop: STOP });
    expect(span).to.include({ appName: 'shop', environment: 'production' });
    expect(span).to.include({ start: Date.parse(start), stop: Date.parse(STOP) });
    expect(spanOf({ start, stop: STOP }, 'i-2')).not.to.deep.equal(span);
    expect(spanOf({ start: Date.parse(start), stop: Date.parse(STOP) })).to.deep.equal(span);
    for (const [bucket, instance] of [
      [{ start }, 'i-1'],
      [{ stop: STOP }, 'i-1'],
      [{ start: STOP, stop: start }, 'i-1'],
      [{ start: '1970-01-01T00:00:00Z', stop: '1970-01-01T00:00:00Z' }, 'i-1'],
      [{ start: '1970-01-01T00:00:00.005Z', stop: STOP }, 'i-1'],
      [{ start: '2001-09-09T01:46:39.999Z', stop: STOP }, 'i-1'],
      [{ start, stop: '2106-03-01T00:00:00Z' }, 'i-1'],
      [{ start, stop: STOP }, null],
      [{ start, stop: STOP }, ''],
    ] as const)
      expect(spanOf(bucket, instance), JSON.stringify(bucket)).to.equal(undefined);
  });

  for (const { stop, isExact } of [
    { stop: '2026-11-21T10:15:00.000Z', isExact: true },
    { stop: '2026-11-21T10:15:07,5+01:00', isExact: true },
    { stop: 1_795_601_707_000, isExact: true },
    { stop: '2026-11-21T10:15:07+00:00', isExact: false },
    { stop: '2026-11-21T10:00:00.000Z', isExact: false },
    { stop: null, isExact: false },
  ])
    it(`${isExact ? 'takes' : 'does not take'} ${String(stop)} for the end of one bucket only`, () => {
      const result = batchOfSdkMetrics({ appName: 'shop', bucket: { stop, toggles: {} } }, OF_PRODUCTION);
      expect(result).to.have.property('hasExactTime', isExact);
    });

  for (const { environment, expected } of [
    { environment: 'staging', expected: 'staging' },
    { environment: '', expected: 'default' },
    { environment: null, expected: 'default' },
  ]) {
    it(`treats ${JSON.stringify(environment)} as ${expected} if the token is for all environments`, () => {
      const result = batchOfSdkMetrics({ appName: 'shop', environment }, OF_ALL);
      expect(result).to.have.nested.property('batch.applications[0].environment', expected);
    });
  }

  it('returns a batch that a relay could have sent, for every accepted body', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (toggles) => {
        const result = batchOfSdkMetrics({ appName: 'shop', bucket: { toggles } }, OF_PRODUCTION);
        if ('problems' in result) return;
        expect(validateBatch(result.batch)).to.have.property('batch');
        expect(result.batch.metrics.map(({ featureName }) => featureName)).to.deep.equal(
          Object.keys(toggles),
        );
      }),
    );
  });

  it('keeps toggles named like members of objects', () => {
    const body = JSON.parse('{"appName":"shop","bucket":{"toggles":{"__proto__":{"yes":1}}}}') as unknown;
    const result = batchOfSdkMetrics(body, OF_PRODUCTION);
    expect(result).to.have.nested.property('batch.metrics[0].featureName', '__proto__');
    expect(result).to.have.nested.property('batch.metrics[0].yes', 1);
  });

  it('names the place of a problem in a body', () => {
    const body = { appName: 'shop', bucket: { toggles: { 'a/b': { yes: -1 } } } };
    const result = batchOfSdkMetrics(body, OF_PRODUCTION);
    expect(result).to.have.nested.property('problems[0].path', '/bucket/toggles/*/yes');
  });
});

describe('batchOfSdkRegistration', () => {
  it('assigns the application to the environment and projects of the token', () => {
    const body = { appName: 'shop', environment: 'x', projects: ['y'], strategies: ['default'] };
    expect(batchOfSdkRegistration(body, OF_PRODUCTION)).to.deep.equal({
      batch: {
        applications: [
          { ...body, environment: 'production', sdkType: null, connectVia: null, projects: ['payments'] },
        ],
        metrics: [],
      },
    });
  });

  it('names the place of a problem in a body', () => {
    const body = { appName: 'shop', strategies: [{}] };
    const result = batchOfSdkRegistration(body, OF_PRODUCTION);
    expect(result).to.have.nested.property('problems[0].path', '/strategies/0');
  });
});

describe('seenTokensOf', () => {
  it('returns at most a thousand texts of bounded length, and never fails', () => {
    expect(seenTokensOf({ seenTokens: ['a', 1, null, '', 'x'.repeat(501), 'b'] })).to.deep.equal(['a', 'b']);
    const longest = 'x'.repeat(500);
    expect(seenTokensOf({ seenTokens: [longest] })).to.deep.equal([longest]);
    expect(seenTokensOf({ seenTokens: Array.from({ length: 2000 }, String) })).to.have.lengthOf(1000);
    for (const body of [null, [], 'a', {}, { seenTokens: null }, { seenTokens: 'a' }])
      expect(seenTokensOf(body)).to.deep.equal([]);
  });
});
