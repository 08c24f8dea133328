import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { openCredentials } from '#base/auth';
import { type Service, createRegistry } from '#base/runtime';
import { freePort } from '../../../tools/stack/index.ts';
import { createAdmin } from '../../../services/admin/index.ts';
import { startStandalone } from '../../../services/standalone/app.ts';
import { BROKEN_REQUESTS } from '../../support/attacks/strangers.ts';
import { post } from '../../support/requests/post.ts';
import { openRawConnection } from '../../support/requests/raw-http.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type World } from '../../support/world.ts';

const PATHS = [
  ['/docs/openapi/', 200],
  ['/docs/openapi', 302],
  ['/docs/openapi/swagger-ui-bundle.js', 200],
  ['/docs/openapi.json', 200],
  ['/api/admin/strategies', 200],
  ['/api/admin/projects/default/features/none', 404],
  ['/nowhere', 404],
  ['/health', 200],
  ['/ready', 200],
] as const;

const METRICS = '/internal-backstage/prometheus';

describe('public endpoints', () => {
  let world: World;
  let standalone: Service;
  let opsUrl: string;

  before(async () => {
    const port = await freePort();
    opsUrl = `http://127.0.0.1:${port}`;
    world = await createUncountedWorld({ OPS_PORT: String(port) });
    standalone = await world.run(startStandalone);
  });

  for (const [path, status] of PATHS)
    it(`are harmless to a browser: GET ${path}`, async () => {
      const headers = { authorization: ADMIN_TOKEN };
      const answer = await fetch(`${standalone.url}${path}`, { headers, redirect: 'manual' });
      await answer.arrayBuffer();
      expect(answer.status).to.equal(status);
      expectHarmless((name) => answer.headers.get(name));
    });

  for (const [title, authorization, status] of [
    ['a batch', CLIENT_TOKEN, 202],
    ['a stranger', '', 401],
  ] as const)
    it(`are harmless to a browser: the answer to ${title}`, async () => {
      const answer = await post(standalone, { authorization });
      expect(answer.status).to.equal(status);
      expectHarmless((name) => answer.headers.get(name));
    });

  for (const [title, bytes] of BROKEN_REQUESTS)
    it(`are harmless to a browser: the answer to ${title}`, async () => {
      const connection = await openRawConnection(standalone.url);
      await connection.write(bytes);
      const answer = await connection.answer();
      connection.cut();
      expectHarmless((name) => answer.headers.get(name));
    });

  it('show no metrics if the metrics have their own port', async () => {
    const paths = [
      METRICS,
      '/metrics',
      '/internal-backstage/metrics.json',
      '/internal-backstage/metrics.txt',
      '/health',
      '/ready',
      '/docs/openapi.json',
    ];
    const statuses = [];
    for (const url of [standalone.url, opsUrl])
      for (const path of paths) statuses.push((await fetch(url + path)).status);

    expect(statuses).to.deep.equal([404, 404, 404, 404, 200, 200, 200, 200, 200, 200, 200, 200, 200, 404]);
  });

  it('query Postgres for no request of readiness, however many there are', async () => {
    const credentials = openCredentials(world.config, world.log);
    const admin = createAdmin({
      ...credentials,
      config: world.config,
      log: world.log,
      registry: createRegistry(),
    });
    await eventually(
      () => Promise.resolve(admin.readiness()),
      (reason) => reason === undefined,
    );
    let queries = 0;
    credentials.db.on('acquire', () => (queries += 1));
    const answers = Array.from({ length: 1000 }, () => admin.readiness());
    await admin.stop();
    await credentials.close();

    expect(answers).to.deep.equal(answers.map(() => undefined));
    expect(queries).to.equal(0);
  });
});

/** Other pages cannot frame, embed or post to it, and no browser runs it as a script. */
function expectHarmless(header: (name: string) => string | null | undefined): void {
  const policy = header('content-security-policy');
  expect(header('x-content-type-options')).to.equal('nosniff');
  for (const directive of ['base-uri', 'form-action', 'frame-ancestors'])
    expect(policy).to.include(`${directive} 'none'`);
}
