import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { startUnleashBridge } from '../../../services/unleash-bridge/app.ts';
import { holds } from '../../support/documents/alert-expressions.ts';
import { healthQueries } from '../../support/documents/dashboards.ts';
import { eventually } from '../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { type Respond, type Upstream, startUpstream } from '../../support/servers/upstream/upstream.ts';
import { createUncountedWorld } from '../../support/uncounted-world.ts';
import { type World } from '../../support/world.ts';

const ROOM = 4;

describe('the alerts about Unleash', () => {
  let upstream: Upstream;
  let world: World;
  let front: Service;
  let mirror: Service;
  let features: Respond;

  before(async () => {
    upstream = await startUpstream((request, response) => {
      if (request.path === '/api/client/features') features(request, response);
      else response.writeHead(request.path === '/api/client/metrics/bulk' ? 401 : 503).end();
    });
    world = await createUncountedWorld({
      UNLEASH_URL: upstream.url,
      UNLEASH_MAX_REQUESTS: String(ROOM),
      UNLEASH_ADMIN_TOKEN: '*:*.an-admin-token-of-unleash',
      UNLEASH_MIRROR_TOKENS: '*:production.a-client-token-of-unleash',
    });
    [front, mirror] = await Promise.all([
      world.run(startIngest),
      world.run((config, log) =>
        startUnleashBridge(config, log, (error) => {
          throw error;
        }),
      ),
    ]);
  });
  after(async () => {
    await world.dispose();
    await upstream.close();
  });

  it('FlagmeterPassFailing fires if requests get no answer of Unleash, and not if they get one', async () => {
    const before = await scrape(front);
    features = (_request, response) => response.writeHead(404).end();
    for (let asked = 0; asked < 3; asked += 1) await askFeatures();
    const answered = await eventually(
      () => scrape(front),
      (lines) => lines.some((line) => /outcome="answered",status="4xx".* 3$/.test(line)),
    );
    expect(holds(expressionOf('FlagmeterPassFailing'), { before, after: answered })).to.equal(false);

    features = (_request, response) => response.socket?.destroy();
    expect((await askFeatures()).status).to.equal(502);
    await fires('FlagmeterPassFailing', front, before);
  });

  it('FlagmeterPassFull fires if UNLEASH_MAX_REQUESTS are open', async () => {
    const before = await scrape(front);
    const client = new AbortController();
    const asked = upstream.requests.length;
    features = () => undefined;
    const open = Array.from({ length: ROOM }, () => askFeatures(client.signal).catch(() => undefined));
    await eventually(
      () => Promise.resolve(upstream.requests.length),
      (now) => now >= asked + ROOM,
    );
    expect(holds(expressionOf('FlagmeterPassFull'), { before, after: await scrape(front) })).to.equal(false);
    expect((await askFeatures()).status).to.equal(503);
    await fires('FlagmeterPassFull', front, before);
    client.abort();
    await Promise.all(open);
  });

  it('FlagmeterMirrorToken and FlagmeterMirrorDelay fire if Unleash rejects the token', async () => {
    const before = await scrape(mirror);
    expect(holds(expressionOf('FlagmeterMirrorToken'), { before, after: before })).to.equal(false);
    await eventually(
      async () => {
        await post(front, { body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
        return holds(expressionOf('FlagmeterMirrorToken'), { before, after: await scrape(mirror) });
      },
      (isFiring) => isFiring,
    );
    await fires('FlagmeterMirrorDelay', mirror, before);
  });

  it('FlagmeterUnleashCatalogueLag fires if the catalogue cannot be read', async () => {
    await fires('FlagmeterUnleashCatalogueLag', mirror, []);
  });

  /** Waits for the alert. The test cannot wait for ten minutes, so it lowers such a limit to 0. */
  async function fires(alert: string, service: Service, before: readonly string[]): Promise<void> {
    const expression = expressionOf(alert).replace(/ > 600$/, ' > 0');
    await eventually(
      async () => holds(expression, { before, after: await scrape(service) }),
      (isFiring) => isFiring,
    );
  }

  function expressionOf(alert: string): string {
    return healthQueries().find(({ title }) => title === alert)?.query ?? '';
  }

  function askFeatures(signal: AbortSignal | null = null): Promise<Response> {
    return fetch(`${front.url}/api/client/features`, { signal });
  }

  async function scrape({ url }: Service): Promise<string[]> {
    return (await (await fetch(`${url}/internal-backstage/prometheus`)).text()).split('\n');
  }
});
