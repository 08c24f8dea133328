import { expect } from 'chai';
import fc from 'fast-check';
import { type AggregatedBatch, type BatchNames, DistinctNames, type RepeatedRest } from '#core/counting';
import { contentOf, expectAgreement, expectBothPaths, readFast, readGeneral } from './both-paths.ts';
import { DEFAULT_NAME_LIMITS } from '../../../../support/builders/name-limits.ts';

const METRIC =
  '{"featureName":"f","appName":"a","environment":"production","timestamp":"2026-11-21T10:01:03.120Z","yes":8,"no":4,"variants":{"blue":8}}';

/** JSON of values that fit some member, fit none, or look like the end of a list or the beginning of the metrics. */
const VALUES = [
  '"a"',
  '"b"',
  '""',
  '"ü"',
  '"🧺"',
  '"\\u0061"',
  '"\\""',
  '"\\ud800"',
  '"\u0001"',
  '"\u0085"',
  '"metrics"',
  '"metrics:["',
  `"${'x'.repeat(255)}"`,
  `"${'x'.repeat(256)}"`,
  "'a'",
  'null',
  'true',
  '0',
  '-0',
  '1.5',
  '1e3',
  '1e999',
  '-1',
  '01',
  'NaN',
  '',
  '"2026-11-21T10:00:00Z"',
  '"2026-02-30T10:00:00Z"',
  '"yesterday"',
  '[]',
  '["a"]',
  '["a","a",""]',
  '["\\u0061","ü"]',
  '[1]',
  '["a",null]',
  '[["a"]]',
  '["a",]',
  '[',
  ']',
  `[${'"s",'.repeat(100)}"s"]`,
  `[${'"p",'.repeat(499)}"p"]`,
  `[${'"p",'.repeat(500)}"p"]`,
  `[${'{"appName":"v","instanceId":"i"},'.repeat(10)}{"appName":"v","instanceId":"i"}]`,
  '{}',
  '[{"appName":"v","instanceId":"i"}]',
  '[{"appName":"\u0001","instanceId":""}]',
  '[{"appName":"v"}]',
  '{"metrics":[]}',
  '[{"metrics":[]}]',
];

const KEYS = [
  'appName',
  'environment',
  'instanceId',
  'interval',
  'started',
  'strategies',
  'projects',
  'platformName',
  'platformVersion',
  'yggdrasilVersion',
  'sdkVersion',
  'sdkType',
  'connectVia',
  'connectionId',
  'metrics',
  'applications',
  'seenTokens',
  '__proto__',
  'constructor',
  '',
  '\\u0061ppName',
  'metri\\u0063s',
  'ä',
];

const member = fc
  .tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES))
  .map(([key, value]) => `"${key}":${value}`);
/** Few members, so that many applications are valid; a repeated member is likely. */
const application = fc
  .tuple(fc.boolean(), fc.array(member, { maxLength: 3 }))
  .map(([isNamed, members]) => `{${[...(isNamed ? ['"appName":"a"'] : []), ...members].join(',')}}`);
const list = fc.oneof(
  { weight: 8, arbitrary: fc.array(application, { maxLength: 3 }).map((all) => `[${all.join(',')}]`) },
  { weight: 1, arbitrary: fc.constantFrom(...VALUES) },
);
const applicationsMember = list.map((value) => `"applications":${value}`);
/** The name of the metrics may be escaped, be only the end of another name, or occur again. */
const metricsMember = fc
  .tuple(
    fc.constantFrom('metrics', 'metrics', 'metri\\u0063s', 'a\\"metrics'),
    fc.constantFrom(`[${METRIC}]`, `[${METRIC},${METRIC}]`, '[]'),
  )
  .map(([name, value]) => `"${name}":${value}`);
const body = fc
  .tuple(
    applicationsMember,
    metricsMember,
    fc.array(fc.oneof(member, applicationsMember, metricsMember), { maxLength: 2 }),
  )
  .chain(([applications, metrics, others]) =>
    fc.shuffledSubarray([applications, metrics, ...others], { minLength: 2 }),
  )
  .map((members) => Buffer.from(`{${members.join(',')}}`));

describe('the fast path and applications in a body', () => {
  it('agree with the general path, whatever the applications are: results, refusals and used quota', () => {
    const ways = { fast: 0, general: 0, rejected: 0 };
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 4 }), (bytes, limit) => {
        const [ofFast, ofGeneral] = [namesWithin(limit), namesWithin(limit)];
        const fast = readFast(bytes, { names: ofFast });
        const general = readGeneral(bytes, { names: ofGeneral });
        if (fast === undefined) {
          expect(ofFast.savepoint()).to.equal(0);
          ways[general === undefined ? 'rejected' : 'general'] += 1;
          return;
        }
        expect(general, 'the general path rejects it').not.to.equal(undefined);
        expect(contentsOf(fast)).to.deep.equal(general && contentsOf(general));
        expect(ofFast.savepoint()).to.equal(ofGeneral.savepoint());
        ways.fast += 1;
      }),
      { numRuns: 2000 },
    );
    for (const [way, bodies] of Object.entries(ways)) expect(bodies, way).to.be.greaterThan(20);
  });

  it('read a repeated body without reading its applications again, with the same result', () => {
    let recognised = 0;
    fc.assert(
      fc.property(body, fc.integer({ min: 1, max: 4 }), (bytes, limit) => {
        const counts = new Map<string, number>();
        const recognise = (rest: Uint8Array): RepeatedRest => {
          const key = Buffer.from(rest).toString('latin1');
          return { key, receivedAt: 0, applications: counts.get(key) };
        };
        const token = tokenWithin(limit);
        const names = token();
        const first = readFast(bytes, { names, recognise });
        if (first?.rest === undefined) return;
        names.commit();
        counts.set(first.rest.key, first.applications.length);
        const again = readFast(bytes, { names: token(), recognise });
        const inFull = readFast(bytes, { names: token() });
        expect(again?.recognised).to.equal(inFull?.applications.length);
        expect(again && contentsOf({ ...again, applications: first.applications })).to.deep.equal(
          inFull && contentsOf(inFull),
        );
        recognised += 1;
      }),
      { numRuns: 1000 },
    );
    expect(recognised).to.be.greaterThan(20);
  });

  it('read in full a body that says more than its applications', () => {
    const more = {
      nothing: '"other":1',
      tokens: '"seenTokens":["*:production.secret"]',
      samples: '"impactMetrics":[{"name":"purchases","help":"","type":"counter","samples":[{"value":1}]}]',
      refused: '"applications":[{"appName":""}]',
    };
    const recognise = (): RepeatedRest => ({ key: 'rest', receivedAt: 0, applications: undefined });
    const offered = Object.entries(more).filter(([, member]) => {
      const bytes = Buffer.from(`{"applications":[],"metrics":[${METRIC}],${member}}`);
      return readFast(bytes, { recognise })?.rest !== undefined;
    });
    expect(offered.map(([what]) => what)).to.deep.equal(['nothing']);
  });

  it('agree on thousands of applications, on both sides of the metrics', () => {
    const applications = Array.from({ length: 3000 }, (_, index) => `{"appName":"a${index % 2000}"}`).join(
      ',',
    );
    const metrics = Array.from({ length: 1000 }, () => METRIC).join(',');
    expectBothPaths(Buffer.from(`{"applications":[${applications}],"metrics":[${metrics}]}`));
    expectBothPaths(Buffer.from(`{"metrics":[${metrics}],"applications":[${applications}]}`));
    // The general path can divide the work on a long body that is mostly applications.
    const mostly = Buffer.from(`{"metrics":[${METRIC}],"applications":[${applications}]}`);
    expect(expectAgreement(mostly)).to.equal('general');
  });

  it('agree that the last of two lists of applications counts', () => {
    const lists =
      '"applications":[{"appName":"first"}],"applications":[{"appName":"last","appName":"latest"}]';
    expectBothPaths(Buffer.from(`{${lists},"metrics":[${METRIC}]}`));
    const read = readFast(Buffer.from(`{${lists},"metrics":[${METRIC}]}`));
    expect(read?.applications.map(({ appName }) => appName)).to.deep.equal(['latest']);
  });
});

function namesWithin(limit: number): BatchNames {
  return tokenWithin(limit)();
}

/** Returns the names of the same token for one body after the other. */
function tokenWithin(limit: number): () => BatchNames {
  const limits = { instance: limit, strategy: limit, project: limit, app: limit, environment: limit };
  const names = new DistinctNames({ ...DEFAULT_NAME_LIMITS, ...limits });
  return () => names.of('token', 500_000);
}

function contentsOf(aggregated: AggregatedBatch): unknown {
  return { ...(contentOf(aggregated) as object), hasExactTime: aggregated.hasExactTime };
}
