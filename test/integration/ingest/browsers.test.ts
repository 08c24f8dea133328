import { expect } from 'chai';
import { untilCounted } from '../../support/stack/engines/kafka/topics.ts';
import { post } from '../../support/requests/post.ts';
import { runWorker, sharedIngest } from '../../support/stories/counting.ts';
import { FRONTEND_TOKEN, sharedWorld } from '../../support/world.ts';

const path = '/api/frontend/client/metrics';
const STOP = new Date().toISOString();
const body = JSON.stringify({
  appName: 'web-shop',
  instanceId: 'browser',
  bucket: { start: STOP, stop: STOP, toggles: { banner: { yes: 2, no: 1, variants: { blue: 2 } } } },
});

describe('POST /api/frontend/client/metrics', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedIngest(world);
  before(async () => {
    await runWorker(world);
  });

  it('counts what a browser sends with a frontend token, in the environment of the token', async () => {
    const answer = await post(ingest, { path, authorization: FRONTEND_TOKEN, body });
    expect(answer.status).to.equal(202);
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    await untilCounted(world);
    const rows = await world.query(
      `select feature_name, app_name, environment, toUInt32(yes) as yes, toUInt32(no) as no from usage_by_hour`,
    );
    expect(rows).to.deep.equal([
      { feature_name: 'banner', app_name: 'web-shop', environment: 'production', yes: 2, no: 1 },
    ]);
  });

  it('rejects a client token with 403, which a page can read', async () => {
    const answer = await post(ingest, { path, body });
    expect(answer.status).to.equal(403);
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
  });

  it('answers the preflight of a page of another origin', async () => {
    const preflight = await fetch(`${ingest.url}${path}`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://shop.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization,content-type,unleash-appname',
      },
    });
    expect(preflight.status).to.equal(204);
    expect(preflight.headers.get('access-control-allow-origin')).to.equal('*');
    expect(preflight.headers.get('access-control-allow-methods')).to.equal('POST');
    expect(preflight.headers.get('access-control-allow-headers')).to.include('authorization');
  });

  it('leaves the paths of servers without such answers', async () => {
    const { status, headers } = await fetch(`${ingest.url}/api/client/metrics`, { method: 'OPTIONS' });
    expect(status).to.equal(405);
    expect(headers.has('access-control-allow-origin')).to.equal(false);
  });
});
