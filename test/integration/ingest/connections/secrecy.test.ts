import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';
import type { ServiceProcess } from '../../../support/stack/processes/process.ts';
import { type Answer, type Post, aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../support/world.ts';

type Marked = {
  readonly title: string;
  readonly status: number;
  /** A request with the mark in every possible place. */
  readonly request: (mark: string) => Partial<Post>;
};

const REQUESTS: readonly Marked[] = [
  { title: 'a good batch', status: 202, request: (mark) => ({ body: marked(mark) }) },
  {
    title: 'a sender',
    status: 202,
    request: (mark) => ({ headers: { 'unleash-connection-id': mark, 'user-agent': mark } }),
  },
  { title: 'a malformed body', status: 400, request: (mark) => ({ body: marked(mark).slice(1) }) },
  {
    title: 'a value of a wrong type',
    status: 400,
    request: (mark) => ({ body: `{"applications":[],"metrics":["${mark}"]}` }),
  },
  {
    title: 'broken gzip',
    status: 400,
    request: (mark) => ({ body: marked(mark), headers: { 'content-encoding': 'gzip' } }),
  },
  {
    title: 'gzip of a malformed body',
    status: 400,
    request: (mark) => ({
      body: gzipSync(marked(mark).slice(1)),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
  {
    title: 'a count of a variant',
    status: 400,
    request: (mark) => ({ body: `{"applications":[],"metrics":[${metricWith(`{"${mark}":-1}`)}]}` }),
  },
  {
    title: 'a timestamp',
    status: 400,
    request: (mark) => ({ body: `{"applications":[{"appName":"a","started":"${mark}"}],"metrics":[]}` }),
  },
  {
    title: 'seen tokens beside an invalid value',
    status: 400,
    request: (mark) => ({ body: `{"seenTokens":["*:production.${mark}"],"applications":[7],"metrics":[]}` }),
  },
  {
    title: 'a value of 90 kB',
    status: 400,
    request: (mark) => ({ body: `{"applications":[],"metrics":[${metricWith(`"${mark.repeat(4000)}"`)}]}` }),
  },
  {
    title: 'a header of 64 kB',
    status: 431,
    request: (mark) => ({ headers: { 'x-relay': mark.repeat(3000) } }),
  },
  { title: 'a body that is too large', status: 413, request: (mark) => ({ body: mark.repeat(10_000) }) },
  { title: 'a content type', status: 415, request: (mark) => ({ contentType: `text/${mark}` }) },
  {
    title: 'a content encoding',
    status: 415,
    request: (mark) => ({ headers: { 'content-encoding': mark } }),
  },
  {
    title: 'an unknown secret',
    status: 401,
    request: (mark) => ({ authorization: `*:production.${mark}` }),
  },
  {
    title: 'a body with a frontend token',
    status: 403,
    request: (mark) => ({ body: marked(mark), authorization: FRONTEND_TOKEN }),
  },
  { title: 'a path', status: 404, request: (mark) => ({ path: `/${mark}` }) },
  {
    title: 'tokens that are to be validated',
    status: 200,
    request: (mark) => ({ path: '/edge/validate', body: JSON.stringify({ tokens: [mark] }) }),
  },
  {
    title: 'tokens in a malformed validation',
    status: 400,
    request: (mark) => ({ path: '/edge/validate', body: JSON.stringify({ tokens: mark }) }),
  },
  {
    title: 'the metrics of an SDK',
    status: 202,
    request: (mark) => ({
      path: '/api/client/metrics',
      body: JSON.stringify({ appName: mark, bucket: { toggles: { [mark]: { yes: 1 } } } }),
    }),
  },
  { title: 'a query', status: 202, request: (mark) => ({ path: `/edge/metrics?token=${mark}` }) },
];

describe('the log and the answers of ingest at the most verbose level', () => {
  const world = sharedUncountedWorld();
  let log: string;
  let answers: Answer[];
  before(async () => {
    const service = await world.fork('ingest', { LOG_LEVEL: 'debug' });
    await eventually(
      () => fetch(`${service.url}/ready`),
      ({ status }) => status === 200,
    );
    const requests = REQUESTS.map(({ request }, index) => post(service, request(markOf(index))));
    answers = await Promise.all(requests);
    log = await logOf(service);
  });

  it('are not empty, and the requests were made', () => {
    expect(log).to.include('"listening"');
    expect(answers.map(({ status }) => status)).to.deep.equal(REQUESTS.map(({ status }) => status));
  });

  for (const [index, { title }] of REQUESTS.entries()) {
    it(`hold nothing of ${title} in the log`, () => {
      expect(log).not.to.include(markOf(index));
    });

    it(`hold nothing of ${title} in an answer`, () => {
      const { headers, text = '' } = answers[index] ?? {};
      expect(text + JSON.stringify([...(headers ?? [])])).not.to.include(markOf(index));
      expect(text.length).to.be.below(1000);
    });
  }

  for (const token of [ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN]) {
    it(`do not contain the secret of ${token}`, () => {
      expect(log).not.to.include(token.slice(token.indexOf('.') + 1));
    });
  }

  it('contain no password while no engine can be reached', async () => {
    const mark = markOf(REQUESTS.length);
    const service = await world.launch('ingest', {
      LOG_LEVEL: 'debug',
      KAFKA_BROKERS: '127.0.0.1:1',
      DATABASE_URL: `postgres://flagmeter:${mark}@127.0.0.1:1/flagmeter`,
      REDIS_URL: `redis://:${mark}@127.0.0.1:1`,
      CLICKHOUSE_PASSWORD: mark,
    });
    const answer = await post(service, { body: marked(mark), authorization: `*:production.${mark}` });
    expect(answer.status).to.equal(503);
    const outage = await logOf(service);
    expect(outage).to.include('token not looked up').and.to.include('redis not reached');
    expect(outage).not.to.include(mark);
  });
});

function markOf(index: number): string {
  return `recognisable-${index}-mark`;
}

/** A metric as JSON, valid except for its variants. */
function metricWith(variants: string): string {
  return `{"featureName":"f","appName":"a","environment":"production","variants":${variants}}`;
}

/** A batch whose every name is the mark, with metrics that are counted and metrics that are refused. */
function marked(mark: string): string {
  const metric = aFreshMetric({ featureName: mark, appName: mark, variants: { [mark]: 1 } });
  const metrics = [metric, { ...metric, featureName: `${mark}\0` }, { ...metric, environment: mark }];
  const applications = [{ appName: mark, instanceId: mark, strategies: [mark] }];
  return bodyOf({ applications, metrics }).replace('{', `{"seenTokens":["*:production.${mark}"],`);
}

/** The whole log of a service at its end. */
async function logOf(service: ServiceProcess): Promise<string> {
  await service.stop();
  return eventually(
    () => readFile(`.local/test-logs/ingest-${service.pid}.log`, 'utf8'),
    (text) => text.includes('"stopped"'),
  );
}
