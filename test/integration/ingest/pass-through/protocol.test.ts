import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { type RawConnection, openRawConnection } from '../../../support/requests/raw-http.ts';
import type { RawUpstream } from '../../../support/servers/upstream/raw-upstream.ts';
import { type Front, createFront } from './front.ts';

describe('the protocol of a passed request', () => {
  let upstream: RawUpstream;
  let front: Service;
  let dispose: Front['dispose'];
  let connection: RawConnection;
  before(async () => {
    ({ upstream, front, dispose } = await createFront());
  });
  after(() => dispose());
  beforeEach(async () => {
    await upstream.revive();
    connection = await openRawConnection(front.url);
  });
  afterEach(() => {
    connection.cut();
  });

  const arrived = () => upstream.arrivals.at(-1);

  it('may be HTTP/1.0 without a Host: flagmeter names its own address', async () => {
    await connection.write('GET /api/client/features HTTP/1.0\r\n\r\n');
    expect(await connection.closed()).to.match(
      /^HTTP\/1\.1 200 [^]*connection: close\r\n[^]*from upstream$/i,
    );
    expect(arrived()?.headers).to.include({
      host: new URL(upstream.url).host,
      'x-forwarded-host': new URL(front.url).host,
    });
  });

  it('may be HTTP/1.0 with keep-alive: the connection closes after the answer, and says so', async () => {
    upstream.answer((_request, response) => {
      response.write('one, ');
      response.end('two');
    });
    await connection.write('GET /x HTTP/1.0\r\nHost: test\r\nConnection: keep-alive\r\n\r\n');
    const text = await connection.closed();
    expect(text).to.match(/\r\nconnection: close\r\n/i);
    expect(text).to.match(/\r\n\r\none, two$/);
  });

  it('may have an empty Host', async () => {
    await connection.write('GET /x HTTP/1.1\r\nHost:\r\n\r\n');
    expect((await connection.answer()).status).to.equal(200);
    expect(arrived()?.headers['x-forwarded-host']).to.equal(new URL(front.url).host);
  });

  it('takes path and host from a target that is a whole URL', async () => {
    await connection.write('GET http://flags.example:81/api/x?y HTTP/1.1\r\nHost: test\r\n\r\n');
    expect((await connection.answer()).status).to.equal(200);
    expect(arrived()).to.include({ url: '/api/x?y' });
    expect(arrived()?.headers['x-forwarded-host']).to.equal('flags.example:81');
  });

  for (const target of ['ftp://flags.example/x', 'http://user@flags.example/x', 'http:///x', 'x/y'])
    it(`gets 400 for the target ${target}`, async () => {
      const before = upstream.arrivals.length;
      await connection.write(`OPTIONS ${target} HTTP/1.1\r\nHost: test\r\n\r\n`);
      expect((await connection.answer()).status).to.equal(400);
      expect(upstream.arrivals.length).to.equal(before);
    });

  for (const method of ['TRACE', 'CONNECT'])
    it(`gets 405 with Allow for ${method}, which is not passed`, async () => {
      const before = upstream.arrivals.length;
      const target = method === 'CONNECT' ? 'flags.example:443' : '/api/client/features';
      await connection.write(`${method} ${target} HTTP/1.1\r\nHost: test\r\nAuthorization: secret\r\n\r\n`);
      const { status, headers, body } = await connection.answer();
      expect([status, headers.has('allow')]).to.deep.equal([405, true]);
      expect(body).not.to.include('secret');
      expect(upstream.arrivals.length).to.equal(before);
    });

  for (const upgrade of ['', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'])
    it(`gets 502 if Unleash switches protocols unasked: ${upgrade === '' ? 'no upgrade' : 'h2c'}`, async () => {
      const closed = new Promise((resolve) => {
        upstream.answer(({ socket }) => {
          socket.once('close', resolve);
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\nhello');
        });
      });
      await connection.write(`GET /x HTTP/1.1\r\nHost: test\r\n${upgrade}\r\n`);
      const { status, body } = await connection.answer();
      expect(status).to.equal(502);
      expect(body).to.include('Unleash cannot be reached or gave no valid answer.');
      await closed;
      await upstream.revive();
      await connection.write('GET /x HTTP/1.1\r\nHost: test\r\n\r\n');
      expect((await connection.answer()).status).to.equal(200);
    });

  it('waits for the answer after informational ones', async () => {
    upstream.answer((_request, response) => {
      response.writeEarlyHints({ link: '</a>' });
      response.setHeader('Content-Length', 2).end('ok');
    });
    await connection.write('GET /x HTTP/1.1\r\nHost: test\r\n\r\n');
    expect(await connection.answer()).to.include({ status: 200, body: 'ok' });
  });

  it('is never WebSocket, which gets 501', async () => {
    const before = upstream.arrivals.length;
    await connection.write(
      'GET /x HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\nSec-WebSocket-Version: 13\r\n\r\n',
    );
    expect((await connection.answer()).status).to.equal(501);
    expect(upstream.arrivals.length).to.equal(before);
  });
});
