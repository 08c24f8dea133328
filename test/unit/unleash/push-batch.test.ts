import { expect } from 'chai';
import { createUnleash, pushBatch } from '#unleash/client';
import { type Upstream, startUpstream } from '../../support/servers/upstream/upstream.ts';

const SECRET = '*:production.secret';
const BODY = { applications: [], metrics: [{ featureName: 'a' }] };

describe('pushing a batch to Unleash', () => {
  let upstream: Upstream;
  beforeEach(async () => {
    upstream = await startUpstream((_request, response) => {
      response.writeHead(202).end();
    });
  });
  afterEach(() => upstream.close());

  const push = () => pushBatch(createUnleash({ url: upstream.url }), { secret: SECRET, body: BODY });

  it('posts the body with the token of the environment', async () => {
    expect(await push()).to.deep.equal({ outcome: 'accepted', status: 202 });
    const [request] = upstream.requests;
    expect(request).to.include({
      method: 'POST',
      path: '/api/client/metrics/bulk',
      body: JSON.stringify(BODY),
    });
    expect(request?.headers.authorization).to.equal(SECRET);
  });

  const outcomes = [
    [200, { outcome: 'accepted', status: 200 }],
    [400, { outcome: 'rejected', status: 400 }],
    [413, { outcome: 'rejected', status: 413 }],
    [401, { outcome: 'failed', reason: 'token', status: 401 }],
    [403, { outcome: 'failed', reason: 'token', status: 403 }],
    [404, { outcome: 'failed', reason: 'address', status: 404 }],
    [408, { outcome: 'failed', reason: 'overloaded', status: 408 }],
    [429, { outcome: 'failed', reason: 'overloaded', status: 429 }],
    [500, { outcome: 'failed', reason: 'overloaded', status: 500 }],
    [503, { outcome: 'failed', reason: 'overloaded', status: 503 }],
    [302, { outcome: 'failed', reason: 'overloaded', status: 302 }],
    [504, { outcome: 'unanswered' }],
  ] as const;
  for (const [status, outcome] of outcomes)
    it(`classifies ${status} as ${outcome.outcome}`, async () => {
      upstream.respond = (_request, response) => {
        response.writeHead(status).end('whatever');
      };
      expect(await push()).to.deep.equal(outcome);
    });

  it('reports "failed" if nobody listens', async () => {
    await upstream.close();
    expect(await push()).to.deep.equal({ outcome: 'failed', reason: 'unreachable' });
    await upstream.reopen();
  });

  it('reports "unanswered" if the connection breaks or the answer is garbage', async () => {
    upstream.respond = (_request, response) => {
      response.socket?.destroy();
    };
    expect(await push()).to.deep.equal({ outcome: 'unanswered' });
    upstream.respond = (_request, response) => {
      response.socket?.end('SSH-2.0-OpenSSH\r\n');
    };
    expect(await push()).to.deep.equal({ outcome: 'unanswered' });
  });
});
