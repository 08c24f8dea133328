import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { BODY_PROBLEMS, type BodyProblem } from '#base/http';
import { type Service, readConfig } from '#base/runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import type { RejectedBodies } from '../../../../services/admin/usage/rejected-bodies/schema.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { aFreshMetric, bodyOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../support/world.ts';

type Row = {
  readonly problem: BodyProblem;
  readonly status: number;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly path?: string;
  readonly place?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

const SECRET = 'a-name-that-nobody-may-see';
const JSON_TYPE = { 'content-type': 'application/json' };

const ROWS: readonly Row[] = [
  { problem: 'content_type', status: 415, body: bodyOf(), headers: { 'content-type': 'text/plain' } },
  {
    problem: 'charset',
    status: 415,
    body: bodyOf(),
    headers: { 'content-type': 'application/json; charset=utf-16' },
  },
  { problem: 'content_encoding', status: 415, body: bodyOf(), headers: { 'content-encoding': 'zstd' } },
  {
    problem: 'undecodable',
    status: 400,
    body: new Uint8Array(gzipSync(bodyOf()).subarray(0, 30)),
    headers: { 'content-encoding': 'gzip' },
  },
  { problem: 'too_large', status: 413, body: ' '.repeat(200_000) },
  { problem: 'empty', status: 400, body: '' },
  { problem: 'not_utf8', status: 400, body: new Uint8Array([34, 255, 34]) },
  { problem: 'byte_order_mark', status: 400, body: '\uFEFF{}' },
  { problem: 'not_json', status: 400, body: `{"metrics": ${SECRET}` },
  {
    problem: 'schema',
    status: 400,
    place: 'metrics[1].yes',
    body: bodyOf({
      metrics: [aFreshMetric(), { ...aFreshMetric({ featureName: SECRET }), yes: '3' as unknown as number }],
    }),
  },
  {
    problem: 'invalid',
    status: 400,
    place: 'resourceLogs[1].scopeLogs[0].logRecords[1]',
    path: '/v1/logs',
    body: JSON.stringify({
      resourceLogs: [{}, { scopeLogs: [{ logRecords: [{}, { eventName: [SECRET] }] }] }],
    }),
  },
  { problem: 'no_token', status: 401, body: bodyOf(), headers: { authorization: '' } },
  { problem: 'unknown_token', status: 401, body: bodyOf(), headers: { authorization: `*:*.${SECRET}` } },
  { problem: 'wrong_token_type', status: 403, body: bodyOf(), headers: { authorization: FRONTEND_TOKEN } },
];

describe('bodies that are not accepted', () => {
  const world = sharedUncountedWorld();
  let admin: Service;
  let metrics: string;
  const logged = collectLog();
  before(async () => {
    const config = readConfig({ ...world.env });
    const ingests = await Promise.all([startIngest(config, logged.log), startIngest(config, logged.log)]);
    admin = await world.run(startAdmin);
    await Promise.all(
      ingests.map(({ url }) =>
        eventually(
          () => fetch(`${url}/ready`),
          ({ status }) => status === 200,
        ),
      ),
    );
    for (const row of ROWS) for (const { url } of ingests) await send(url, row);
    metrics = await (await fetch(`${ingests[0].url}/internal-backstage/prometheus`)).text();
    // They report what is left.
    await Promise.all(ingests.map((ingest) => ingest.stop()));
  });

  it('are those of every problem but two, which need other requests', () => {
    const others: BodyProblem[] = ['incomplete', 'too_many_names', 'rate_limit'];
    expect([...ROWS.map(({ problem }) => problem), ...others]).to.have.members([...BODY_PROBLEMS]);
  });

  for (const { problem, status, place = '', path = '/edge/metrics' } of ROWS)
    it(`are listed with place, path and sender, summed up over processes: ${problem}`, async () => {
      const [row] = (await list()).filter((one) => one.problem === problem);
      expect(row).to.include({
        problem,
        status,
        path,
        place,
        count: 2,
        appName: 'web-shop',
        sdk: 'unleash-node@5.3.0',
      });
      expect(row?.tokenId === null).to.equal(status === 401);
      expect(Date.parse(row?.lastAt ?? '')).to.be.at.least(Date.parse(row?.firstAt ?? ''));
    });

  it('leave one line for each process, token and problem, without their content', () => {
    const lines = logged.lines().filter(({ msg }) => msg === 'bodies rejected');
    const problems = lines.map(({ problem }) => problem);
    expect(problems).to.have.members(ROWS.flatMap(({ problem }) => [problem, problem]));
    expect(lines.find(({ problem }) => problem === 'schema')).to.include({
      bodies: 1,
      status: 400,
      path: '/edge/metrics',
      place: 'metrics[1].yes',
      message: 'The body does not match the schema of a batch: must be integer or null, is string',
    });
    expect(JSON.stringify(logged.lines())).not.to.include(SECRET);
  });

  it('are counted by problem', () => {
    for (const { problem } of ROWS)
      expect(metrics).to.include(`flagmeter_ingest_rejected_bodies_total{problem="${problem}"} 1\n`);
    expect(metrics).to.include('flagmeter_ingest_rejected_bodies_total{problem="rate_limit"} 0\n');
  });

  it('can be filtered by token and problem', async () => {
    const all = await list();
    const schema = all.find(({ problem }) => problem === 'schema');
    const ofToken = await list(`?token=${schema?.tokenId ?? ''}`);
    expect(ofToken).to.have.length(ROWS.filter(({ status }) => status < 401 || status > 403).length);
    expect(await list('?problem=schema')).to.deep.equal([schema]);
  });

  async function send(url: string, { path = '/edge/metrics', body, status, headers }: Row): Promise<void> {
    const answer = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        ...JSON_TYPE,
        authorization: CLIENT_TOKEN,
        'unleash-appname': 'web-shop',
        'unleash-sdk': 'unleash-node@5.3.0',
        ...headers,
      },
      body,
    });
    await answer.text();
    expect(answer.status).to.equal(status);
  }

  async function list(query = ''): Promise<RejectedBodies['rejectedBodies']> {
    const answer = await fetch(`${admin.url}/api/admin/metrics/rejected-bodies${query}`, {
      headers: { authorization: ADMIN_TOKEN },
    });
    return ((await answer.json()) as RejectedBodies).rejectedBodies; // the document says so
  }
});
