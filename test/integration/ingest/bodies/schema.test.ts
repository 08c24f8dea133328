import { expect } from 'chai';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { aFreshMetric, bodyOf, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

/** Bodies that are JSON but not a batch; `path` is the JSON pointer of the expected problem. */
const WHOLES: readonly { json: string; path: string }[] = [
  { json: 'null', path: '' },
  { json: 'true', path: '' },
  { json: '7', path: '' },
  { json: '"batch"', path: '' },
  { json: '[]', path: '' },
  { json: '[{"applications":[],"metrics":[]}]', path: '' },
  { json: '{}', path: '' },
  { json: '{"applications":[]}', path: '' },
  { json: '{"metrics":[]}', path: '' },
  { json: '{"applications":null,"metrics":[]}', path: '/applications' },
  { json: '{"applications":[],"metrics":null}', path: '/metrics' },
  { json: '{"applications":{},"metrics":[]}', path: '/applications' },
  { json: '{"applications":[],"metrics":{"length":0}}', path: '/metrics' },
];

/** Members of a second metric that make the whole request fail. */
const METRICS: readonly { json: string; path: string }[] = [
  { json: 'null', path: '' },
  { json: '"metric"', path: '' },
  { json: '[]', path: '' },
  { json: '{"appName":"a","environment":"production"}', path: '' },
  { json: '{"featureName":"f","environment":"production"}', path: '' },
  { json: '{"featureName":"f","appName":"a"}', path: '' },
  { json: metric('"featureName":5'), path: '/featureName' },
  { json: metric('"featureName":null'), path: '/featureName' },
  { json: metric('"appName":["a"]'), path: '/appName' },
  { json: metric('"environment":null'), path: '/environment' },
  { json: metric('"yes":"12"'), path: '/yes' },
  { json: metric('"yes":true'), path: '/yes' },
  { json: metric('"yes":-1'), path: '/yes' },
  { json: metric('"yes":1.5'), path: '/yes' },
  { json: metric('"yes":9007199254740992'), path: '/yes' },
  { json: metric('"yes":1e999'), path: '/yes' },
  { json: metric('"no":{}'), path: '/no' },
  { json: metric('"timestamp":"yesterday"'), path: '/timestamp' },
  { json: metric('"timestamp":"2026-02-30T00:00:00Z"'), path: '/timestamp' },
  { json: metric('"timestamp":""'), path: '/timestamp' },
  { json: metric('"timestamp":{}'), path: '/timestamp' },
  { json: metric('"variants":[]'), path: '/variants' },
  { json: metric('"variants":"blue"'), path: '/variants' },
  { json: metric('"variants":{"blue":"1"}'), path: '/variants/*' },
  { json: metric('"variants":{"blue":-1}'), path: '/variants/*' },
  { json: metric('"variants":{"a/b~c":0.5}'), path: '/variants/*' },
];

const APPLICATIONS: readonly { json: string; path: string }[] = [
  { json: 'null', path: '' },
  { json: '{}', path: '' },
  { json: '{"appName":null}', path: '/appName' },
  { json: '{"appName":"a","interval":"15"}', path: '/interval' },
  { json: '{"appName":"a","started":"today"}', path: '/started' },
  { json: '{"appName":"a","strategies":"default"}', path: '/strategies' },
  { json: '{"appName":"a","strategies":["default",{}]}', path: '/strategies/1' },
  { json: '{"appName":"a","connectVia":[{"appName":"edge"}]}', path: '/connectVia/0' },
  { json: '{"appName":"a","sdkVersion":4}', path: '/sdkVersion' },
];

const GOOD = JSON.stringify(aFreshMetric({ yes: 1 }));

describe('a body that does not match the schema', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  async function expectRejectedAt(path: string, body: string): Promise<void> {
    const before = await countMessages(world);
    const answer = await post(ingest, { body });
    expect(answer.status).to.equal(400);
    expect(problemOf(answer).details?.[0]?.path).to.equal(path);
    expect(await countMessages(world)).to.equal(before);
  }

  for (const { json, path } of WHOLES) {
    it(`is rejected with nothing stored: ${json}`, () => expectRejectedAt(path, json));
  }

  for (const { json, path } of METRICS) {
    it(`is rejected with nothing stored: the metric ${json}`, () =>
      expectRejectedAt(`/metrics/1${path}`, `{"applications":[],"metrics":[${GOOD},${json}]}`));
  }

  for (const { json, path } of APPLICATIONS) {
    it(`is rejected with nothing stored: the application ${json}`, () =>
      expectRejectedAt(`/applications/0${path}`, `{"applications":[${json}],"metrics":[${GOOD}]}`));
  }

  it('is answered with at most ten problems', async () => {
    const body = bodyOf().replace('"metrics":[]', `"metrics":[${'{},'.repeat(5000)}{}]`);
    const { details } = problemOf(await post(ingest, { body }));
    expect(details).to.have.length.within(1, 10);
  });

  it('is answered in a few bytes, however long its names', async () => {
    const variants = { ['v'.repeat(50_000)]: -1 };
    const { text } = await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ variants })] }) });
    expect(text.length).to.be.below(1000);
  });

  for (const member of ['timestamp', 'yes', 'variants', 'featureName'] as const) {
    it(`is answered without the value of its ${member}`, async () => {
      const metrics = `[${metric(`"${member}":["recognisable-value"]`)}]`;
      const answer = await post(ingest, { body: `{"applications":[],"metrics":${metrics}}` });
      expect(answer.status).to.equal(400);
      expect(answer.text).not.to.include('recognisable');
    });
  }
});

/** A metric as JSON with one more member, which overrides an earlier one with the same name. */
function metric(member: string): string {
  return `{"featureName":"f","appName":"a","environment":"production",${member}}`;
}
