import { expect } from 'chai';
import fc from 'fast-check';
import { validateBatch } from '#core/counting';
import { batches } from '../../../../support/builders/arbitraries.ts';
import { aBatch, aMetric, anApplication } from '../../../../support/builders/builders.ts';

// Two bodies of Unleash Edge (docs/develop/unleash.md#pushes-of-edge).
const EXAMPLE_A = `{"applications":[{"appName":"checkout-api","connectVia":[{"appName":"unleash-edge",
"instanceId":"01K3EDGE0000000000000000AA"}],"environment":"production","projects":["default","payments"],
"instanceId":"checkout-api-7d9f","connectionId":"0b0f4c1e-1111-4222-8333-444455556666","interval":15000,
"started":"2026-08-21T09:59:12.348217Z","strategies":["default","flexibleRollout"],
"sdkVersion":"unleash-client-node:6.7.0","sdkType":"backend","yggdrasilVersion":null,"platformName":"node",
"platformVersion":"v22.9.0"}],"metrics":[{"featureName":"new-basket","appName":"checkout-api",
"environment":"production","timestamp":"2026-08-21T10:01:03.120Z","yes":812,"no":41,
"variants":{"blue":410,"red":402},"sdkVersion":null,"sdkType":null,"yggdrasilVersion":null,"platformName":null,
"platformVersion":null}],"seenTokens":["*:production.0123456789abcdef"]}`;
const EXAMPLE_B = `{"applications":[],"metrics":[{"featureName":"new-basket","appName":"web-shop",
"environment":"production","timestamp":"2026-08-21T10:00:00Z","yes":5,"no":0,"variants":{},
"sdkVersion":"unleash-client-js:4.1.2","sdkType":"frontend","yggdrasilVersion":null,"platformName":null,
"platformVersion":null},{"featureName":"new-basket","appName":"web-shop","environment":"production",
"timestamp":"2026-08-21T10:00:30.5Z","yes":2,"no":9,"variants":{"disabled":9},"sdkVersion":null,"sdkType":null,
"yggdrasilVersion":null,"platformName":null,"platformVersion":null}],"impactMetrics":[{"type":"counter",
"name":"orders","help":"orders placed","samples":[{"value":3.0,"labels":{"appName":"web-shop"}}]}]}`;

const NULL_MEMBERS_OF_APPLICATION = [
  'environment',
  'instanceId',
  'connectionId',
  'interval',
  'started',
  'strategies',
  'projects',
  'sdkVersion',
  'sdkType',
  'connectVia',
  'yggdrasilVersion',
  'platformName',
  'platformVersion',
];
const NULL_MEMBERS_OF_METRIC = [
  'timestamp',
  'yes',
  'no',
  'variants',
  'sdkVersion',
  'sdkType',
  'platformName',
];

const WRONG_BODIES: readonly (readonly [title: string, json: string, path: string])[] = [
  ['null', 'null', ''],
  ['an array', '[]', ''],
  ['a string', '"{}"', ''],
  ['no applications', '{"metrics":[]}', ''],
  ['no metrics', '{"applications":[]}', ''],
  ['null for the applications', '{"applications":null,"metrics":[]}', '/applications'],
  ['null for the metrics', '{"applications":[],"metrics":null}', '/metrics'],
  ['an object for the metrics', '{"applications":[],"metrics":{}}', '/metrics'],
  ['null as a metric', '{"applications":[],"metrics":[null]}', '/metrics/0'],
  ['a string as an application', '{"applications":["checkout"],"metrics":[]}', '/applications/0'],
];

const WRONG_MEMBERS_OF_APPLICATION: readonly (readonly [member: string, value: unknown, path: string])[] = [
  ['appName', null, 'appName'],
  ['appName', 7, 'appName'],
  ['environment', 7, 'environment'],
  ['instanceId', true, 'instanceId'],
  ['interval', '15000', 'interval'],
  ['started', 1787313600000, 'started'],
  ['started', 'yesterday', 'started'],
  ['strategies', 'default', 'strategies'],
  ['strategies', [null], 'strategies/0'],
  ['strategies', ['default', { name: 'x' }], 'strategies/1'],
  ['projects', {}, 'projects'],
  ['projects', [7], 'projects/0'],
  ['sdkVersion', 6.7, 'sdkVersion'],
  ['sdkType', ['backend'], 'sdkType'],
  ['connectVia', {}, 'connectVia'],
  ['connectVia', ['edge'], 'connectVia/0'],
  ['connectVia', [{ appName: 'edge' }], 'connectVia/0'],
  ['connectVia', [{ appName: 'edge', instanceId: null }], 'connectVia/0/instanceId'],
];

const WRONG_MEMBERS_OF_METRIC: readonly (readonly [member: string, value: unknown, path: string])[] = [
  ['featureName', null, 'featureName'],
  ['featureName', 5, 'featureName'],
  ['appName', {}, 'appName'],
  ['environment', null, 'environment'],
  ['timestamp', 1787313600000, 'timestamp'],
  ['timestamp', '', 'timestamp'],
  ['timestamp', '2026-02-30T10:00:00Z', 'timestamp'],
  ['yes', true, 'yes'],
  ['no', [], 'no'],
  ['variants', [], 'variants'],
  ['variants', 'blue', 'variants'],
  ['variants', { blue: '4' }, 'variants/*'],
  ['variants', { 'a/b~c': -1 }, 'variants/*'],
];

describe('validateBatch', () => {
  for (const [title, example] of Object.entries({ A: EXAMPLE_A, B: EXAMPLE_B })) {
    it(`accepts a body of Unleash Edge, example ${title}`, () => {
      const body: unknown = JSON.parse(example);
      expect(validateBatch(body)).to.deep.equal({ batch: JSON.parse(example) as unknown });
    });
  }

  for (const member of NULL_MEMBERS_OF_APPLICATION) {
    it(`accepts null as ${member} of an application`, () => {
      expect(problemsOf(aBatch({ applications: [anApplication({ [member]: null })] }))).to.deep.equal([]);
    });
  }

  for (const member of NULL_MEMBERS_OF_METRIC) {
    it(`accepts null as ${member} of a metric`, () => {
      expect(problemsOf(aBatch({ metrics: [aMetric({ [member]: null })] }))).to.deep.equal([]);
    });
  }

  it('accepts null as the count of a variant', () => {
    expect(problemsOf(aBatch({ metrics: [aMetric({ variants: { blue: null } })] }))).to.deep.equal([]);
  });

  it('accepts names alone, because everything else is optional', () => {
    const json = `{"applications":[{"appName":"a"}],
      "metrics":[{"featureName":"f","appName":"a","environment":"e"}]}`;
    expect(problemsOf(JSON.parse(json))).to.deep.equal([]);
  });

  for (const [title, json, path] of WRONG_BODIES) {
    it(`rejects ${title} and points at '${path}'`, () => {
      expect(problemsOf(JSON.parse(json)).map((problem) => problem.path)).to.deep.equal([path]);
    });
  }

  for (const [member, value, path] of WRONG_MEMBERS_OF_APPLICATION) {
    it(`rejects ${JSON.stringify(value)} as ${member} of an application`, () => {
      const applications = [anApplication(), { ...anApplication(), [member]: value }];
      expect(problemsOf({ applications, metrics: [] })[0]?.path).to.equal(`/applications/1/${path}`);
    });
  }

  for (const [member, value, path] of WRONG_MEMBERS_OF_METRIC) {
    it(`rejects ${JSON.stringify(value)} as ${member} of a metric`, () => {
      const metrics = [aMetric(), { ...aMetric(), [member]: value }];
      expect(problemsOf({ applications: [], metrics })[0]?.path).to.equal(`/metrics/1/${path}`);
    });
  }

  for (const member of ['featureName', 'appName', 'environment']) {
    it(`names ${member} when a metric lacks it`, () => {
      const problem = problemsOf({ applications: [], metrics: [{ ...aMetric(), [member]: undefined }] })[0];
      expect(problem).to.deep.equal({
        path: '/metrics/0',
        message: `must have required property '${member}'`,
      });
    });
  }

  for (const count of ['-1', '1.5', '9007199254740992', '"12"', 'true', '1e400']) {
    it(`rejects the count ${count}`, () => {
      expect(pathsOfCount(count)).to.deep.equal(['/metrics/0/yes', '/metrics/0/no', '/metrics/0/variants/*']);
    });
  }

  for (const count of ['0', '-0', '1.0', '1e3', '9007199254740991']) {
    it(`accepts the count ${count}`, () => {
      expect(pathsOfCount(count)).to.deep.equal([]);
    });
  }

  it('ignores unknown members at every level', () => {
    const metrics = [aMetric({ platformName: 7 })];
    const body = {
      ...aBatch({ metrics, applications: [anApplication({ sdkFlavor: [] })] }),
      impactMetrics: 7,
    };
    expect(problemsOf(body)).to.deep.equal([]);
  });

  it('treats __proto__ as a member like any other', () => {
    const json = `{"__proto__":{"metrics":[]},"applications":[],"metrics":[{"__proto__":{"yes":"x"},"featureName":"f",
      "appName":"a","environment":"e","variants":{"__proto__":3,"constructor":4}}]}`;
    expect(problemsOf(JSON.parse(json))).to.deep.equal([]);
  });

  it('does not find required members in __proto__', () => {
    const json = '{"__proto__":{"metrics":[]},"applications":[]}';
    expect(problemsOf(JSON.parse(json))).to.have.length(1);
  });

  it('rejects a wrong count of the variant __proto__', () => {
    expect(problemsOf({ applications: [], metrics: [metricOf('{"__proto__":-3}')] })).to.have.length(1);
  });

  it('reports the first problem of each item', () => {
    const applications = [anApplication(), { appName: null }];
    const metrics = [{ ...aMetric({ no: -1 }), yes: '7' }, aMetric(), null, aMetric({ timestamp: 'now' })];
    expect(problemsOf({ applications, metrics })).to.deep.equal([
      { path: '/applications/1/appName', message: 'must be string, is null' },
      { path: '/metrics/0/yes', message: 'must be integer or null, is string' },
      { path: '/metrics/2', message: 'must be object, is null' },
      { path: '/metrics/3/timestamp', message: 'must be an ISO 8601 date and time that exists' },
    ]);
  });

  it('reports the first 10 problems of a body with thousands', () => {
    const applications = Array.from({ length: 4 }, () => ({}));
    const metrics = Array.from({ length: 5000 }, () => ({}));
    const paths = problemsOf({ applications, metrics }).map(({ path }) => path);
    const indices = (count: number) => Array.from({ length: count }, (_, index) => index);
    expect(paths).to.deep.equal([
      ...indices(4).map((index) => `/applications/${index}`),
      ...indices(6).map((index) => `/metrics/${index}`),
    ]);
  });

  it('never repeats a name from the body', () => {
    const metrics = [{ ...aMetric(), variants: { s3cret: -1 } }];
    expect(problemsOf({ applications: [], metrics })).to.deep.equal([
      { path: '/metrics/0/variants/*', message: 'must be >= 0' },
    ]);
  });

  it('never repeats a value from the body', () => {
    const values = fc.oneof(fc.constant('s3cret'), fc.constant(['s3cret']), fc.constant({ s: 's3cret' }));
    const wrong = fc.constantFrom('featureName', 'timestamp', 'yes', 'variants');
    fc.assert(
      fc.property(wrong, values, (member, value) => {
        const metrics = [{ ...aMetric(), [member]: value }];
        expect(JSON.stringify(problemsOf({ applications: [], metrics }))).not.to.contain('s3cret');
      }),
    );
  });

  it('does not change an accepted body', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const before = JSON.stringify(batch);
        validateBatch(batch);
        expect(JSON.stringify(batch)).to.equal(before);
      }),
    );
  });
});

function problemsOf(body: unknown): readonly { readonly path: string; readonly message: string }[] {
  const result = validateBatch(body);
  return 'problems' in result ? result.problems : [];
}

function metricOf(variants: string): unknown {
  return JSON.parse(`{"featureName":"f","appName":"a","environment":"e","variants":${variants}}`);
}

/** The pointers of the problems if a count, as JSON text, stands for yes, for no and for a variant. */
function pathsOfCount(count: string): string[] {
  const metrics = [`"yes":${count}`, `"no":${count}`, `"variants":{"blue":${count}}`].map(
    (member) => JSON.parse(`{"featureName":"f","appName":"a","environment":"e",${member}}`) as unknown,
  );
  return metrics.flatMap((metric) =>
    problemsOf({ applications: [], metrics: [metric] }).map(({ path }) => path),
  );
}
