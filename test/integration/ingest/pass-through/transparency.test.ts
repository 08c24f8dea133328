import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type Service, inBackground } from '#base/runtime';
import { type Question, type WholeAnswer, ask } from '../../../support/requests/ask.ts';
import { openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { type Front, createFront } from './front.ts';

describe('a request that flagmeter passes to Unleash', () => {
  let upstream: RawUpstream;
  let front: Service;
  let dispose: Front['dispose'];
  before(async () => {
    ({ upstream, front, dispose } = await createFront({ prefix: '/prefix/' }));
  });
  after(() => dispose());
  beforeEach(() => upstream.revive());

  const pass = (path: string, question: Question = {}): Promise<WholeAnswer> =>
    ask(`${front.url}${path}`, question);
  const arrived = () => upstream.arrivals.at(-1);

  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    it(`keeps ${method}, path and query, behind the prefix of UNLEASH_URL`, async () => {
      const path = '/api/client/features%20x/a%2Fb/?namePrefix=a%2Fb&tag=x&tag=y';
      const { status, body } = await pass(path, { method });
      expect([status, body.toString()]).to.deep.equal([200, 'from upstream']);
      expect([arrived()?.method, arrived()?.url]).to.deep.equal([method, `/prefix${path}`]);
    });
  }

  it('keeps bodies of two MB both ways, with a length and in chunks', async () => {
    upstream.answer((request, response) => request.pipe(response));
    const body = randomBytes(2_000_000);
    const plain = await pass('/api/admin/import', { method: 'POST', body });
    const headers = { 'transfer-encoding': 'chunked' };
    const chunked = await pass('/api/admin/import', { method: 'POST', body, headers });
    expect(body.equals(plain.body)).to.equal(true);
    expect(body.equals(chunked.body)).to.equal(true);
  });

  it('keeps status, text, headers, their case and cookies of the answer, and adds no headers', async () => {
    upstream.answer((_request, response) => {
      response.writeHead(418, 'As It Is', {
        'X-Unleash-Version': '8.2.0',
        'Set-Cookie': ['a=1; Path=/', 'b=2'],
        'Access-Control-Allow-Origin': '*',
      });
      response.end('body');
    });
    const { status, headers, rawHeaders, body } = await pass('/api/frontend');
    expect([status, body.toString()]).to.deep.equal([418, 'body']);
    expect(rawHeaders).to.include('X-Unleash-Version');
    expect(headers['set-cookie']).to.deep.equal(['a=1; Path=/', 'b=2']);
    const names = ['access-control-allow-origin', 'connection', 'date', 'set-cookie', 'x-unleash-version'];
    expect(Object.keys(headers)).to.have.members([...names, 'transfer-encoding']);
  });

  it('keeps the security headers of Unleash', async () => {
    upstream.answer((_request, response) => {
      response.setHeader('Content-Security-Policy', "default-src 'self'").end();
    });
    expect((await pass('/login')).headers['content-security-policy']).to.equal("default-src 'self'");
  });

  it('passes If-None-Match, and 304 with its ETag', async () => {
    upstream.answer((request, response) => {
      const isKnown = request.headers['if-none-match'] === '"76d8bb0e:42:v1"';
      response.writeHead(isKnown ? 304 : 500, { ETag: '"76d8bb0e:42:v1"' }).end();
    });
    const headers = { 'if-none-match': '"76d8bb0e:42:v1"' };
    const { status, body, headers: answered } = await pass('/api/client/features', { headers });
    expect([status, body.length, answered.etag]).to.deep.equal([304, 0, '"76d8bb0e:42:v1"']);
  });

  it('leaves compressed bytes unchanged', async () => {
    const compressed = gzipSync('{"version":2}');
    upstream.answer((request, response) => {
      const encoding = request.headers['accept-encoding'] ?? 'none';
      response.writeHead(200, { 'Content-Encoding': encoding, 'Content-Length': compressed.length });
      response.end(compressed);
    });
    const { headers, body } = await pass('/api/client/features', { headers: { 'accept-encoding': 'gzip' } });
    expect(headers['content-encoding']).to.equal('gzip');
    expect(gunzipSync(body).toString()).to.equal('{"version":2}');
  });

  it('gets the length of the body as an answer to HEAD', async () => {
    upstream.answer((_request, response) => {
      response.writeHead(200, { 'Content-Length': 470_000 }).end();
    });
    const { status, headers, body } = await pass('/api/client/features', { method: 'HEAD' });
    expect([status, headers['content-length'], body.length]).to.deep.equal([200, '470000', 0]);
  });

  it('keeps Authorization and SDK headers, and loses hop-by-hop headers', async () => {
    await pass('/api/client/features', {
      headers: {
        Authorization: '*:production.of-unleash',
        'UNLEASH-APPNAME': 'checkout',
        Connection: 'close, X-Hop',
        'X-Hop': 'x',
        TE: 'trailers',
        'Proxy-Authorization': 'x',
      },
    });
    const { headers, rawHeaders } = arrived() ?? { headers: {}, rawHeaders: [] };
    expect(headers.authorization).to.equal('*:production.of-unleash');
    expect(headers['unleash-appname']).to.equal('checkout');
    expect(headers.connection).to.equal('keep-alive');
    expect(headers.host).to.equal(new URL(upstream.url).host);
    for (const name of ['te', 'x-hop', 'proxy-authorization']) expect(headers).not.to.have.property(name);
    expect(rawHeaders.map((name) => name.toLowerCase())).not.to.include('upgrade');
  });

  it('keeps the length of a body even if Connection names it, which prevents request smuggling', async () => {
    upstream.answer((request, response) => request.pipe(response));
    const body = 'GET /api/admin/smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
    const headers = { connection: 'close, content-length', 'content-length': body.length };
    expect((await pass('/api/client/features', { method: 'GET', headers, body })).body.toString()).to.equal(
      body,
    );
    expect(upstream.arrivals.map(({ url }) => url)).not.to.include('/api/admin/smuggled');
  });

  it('keeps a traceparent, and gets one without sampling if it has none', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await pass('/x', { headers: { traceparent } });
    expect(arrived()?.headers['traceparent']).to.equal(traceparent);
    await pass('/x');
    expect(arrived()?.headers['traceparent']).to.match(/^00-[\da-f]{32}-[\da-f]{16}-00$/);
  });

  it('reuses the connection to Unleash, even if clients close theirs', async () => {
    await upstream.kill();
    await upstream.revive();
    const { made } = upstream.connections();
    for (let index = 0; index < 20; index += 1)
      await pass('/api/client/features', { headers: { connection: 'close' } });
    expect(upstream.connections().made - made).to.equal(1);
  });

  it('keeps the connection of the client open, despite the idle time that Unleash announces', async () => {
    const connection = await openRawConnection(front.url);
    upstream.answer((_request, response) => response.setHeader('Content-Length', 2).end('ok'));
    for (let index = 0; index < 2; index += 1) {
      await connection.write('GET /api/client/features HTTP/1.1\r\nHost: test\r\n\r\n');
      const { headers, body } = await connection.answer();
      expect([body, headers.get('connection')]).to.deep.equal(['ok', 'keep-alive']);
      expect(headers.has('keep-alive')).to.equal(false);
    }
    connection.cut();
  });

  it('closes the connection of a client that asks for it', async () => {
    const connection = await openRawConnection(front.url);
    upstream.answer((_request, response) => response.setHeader('Content-Length', 2).end('ok'));
    await connection.write('GET /api/client/features HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
    expect(await connection.closed()).to.match(/connection: close\r\n[^]*ok$/i);
  });

  it('passes an answer that arrives before the end of the body', async () => {
    upstream.answer((_request, response) => {
      response.writeHead(413, { 'Content-Length': 9, Connection: 'close' }).end('too large');
    });
    const connection = await openRawConnection(front.url);
    await connection.write(`${rawHead('/api/admin/import', { 'Content-Length': 1000 })}begin`);
    const { status, body } = await connection.answer();
    expect([status, body]).to.deep.equal([413, 'too large']);
    connection.cut();
  });

  it('lets a client continue that waits for 100 Continue', async () => {
    upstream.answer((request, response) => {
      response.setHeader('Content-Length', 5);
      request.pipe(response);
    });
    const connection = await openRawConnection(front.url);
    await connection.write(rawHead('/api/x', { 'Content-Length': 5, Expect: '100-continue' }));
    expect((await connection.answer()).status).to.equal(100);
    await connection.write('hello');
    expect((await connection.answer()).body).to.equal('hello');
    connection.cut();
  });

  it('rejects WebSocket with 501, and ignores other upgrades', async () => {
    const upgrade = (protocol: string) => ({ headers: { connection: 'upgrade', upgrade: protocol } });
    expect((await pass('/x', upgrade('websocket'))).status).to.equal(501);
    expect((await pass('/x', upgrade('h2c'))).status).to.equal(200);
    expect(arrived()?.headers).not.to.have.property('upgrade');
  });
});

describe('an UNLEASH_URL that points to flagmeter', () => {
  it('costs one request and is logged', async () => {
    const { upstream, front, dispose } = await createFront();
    try {
      upstream.answer((request, response) => {
        inBackground(sendBack(front.url, request, response));
      });
      const { status, body } = await ask(`${front.url}/api/client/features`);
      expect([status, body.toString()]).to.deep.include(502);
      expect(body.toString()).to.include('UNLEASH_URL leads back to flagmeter.');
      expect(upstream.arrivals).to.have.length(1);
    } finally {
      await dispose();
    }
  });
});

async function sendBack(url: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, body } = await ask(`${url}${request.url ?? ''}`, { headers: request.headers });
  response.writeHead(status).end(body);
}
