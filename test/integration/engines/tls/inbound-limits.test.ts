import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { type TLSSocket, connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import Koa from 'koa';
import { type HttpServer, listen } from '../../../../packages/base/http/connections/listen.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { type Certificates, createCertificates } from '../../../support/servers/certificates.ts';

describe('the limits of connections with TLS', () => {
  let certificates: Certificates;
  before(async () => {
    certificates = await createCertificates();
  });
  after(() => certificates.dispose());

  const REQUEST = 'GET / HTTP/1.1\r\nHost: test\r\n\r\n';
  const sockets: { destroy(): unknown }[] = [];
  const failed: string[] = [];
  let server: HttpServer;

  async function start(requestTimeoutMs = 60_000): Promise<void> {
    failed.length = 0;
    const app = new Koa();
    app.use((ctx) => {
      if (ctx.path === '/large') ctx.body = Buffer.alloc(24 * 2 ** 20);
      else if (ctx.path === '/never') return new Promise<void>(() => undefined);
      else ctx.body = 'here';
      return undefined;
    });
    const { certificate, key } = certificates.server;
    server = await listen(app, {
      host: '127.0.0.1',
      port: 0,
      requestTimeoutMs,
      maxConnections: 10,
      maxConnectionsPerAddress: 2,
      tls: {
        files: { cert: { setting: 'cert', path: certificate }, key: { setting: 'key', path: key } },
        log: collectLog().log,
        onFailedHandshake: (reason) => failed.push(reason),
      },
    });
  }
  afterEach(async () => {
    await server.close(0);
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  it('cut off a handshake that is never finished, and count it', async () => {
    await start(1000);
    const silent = openPlain();
    const trickling = openPlain();
    trickling.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00])); // announces 512 bytes
    const timer = setInterval(() => trickling.write(Buffer.from([0])), 50);
    // A byte that arrives after the server has closed is answered with a reset.
    await Promise.all([endOf(silent), endOf(trickling)]);
    clearInterval(timer);
    await eventually(
      () => Promise.resolve(server.connections()),
      (open) => open === 0,
    );
    expect(failed).to.deep.equal(['timeout', 'timeout']);
  });

  it('include connections that are not encrypted yet', async () => {
    await start();
    const [first] = [openPlain(), openPlain()];
    await eventually(
      () => Promise.resolve(server.connections()),
      (open) => open === 2,
    );
    const third = openSecure();
    const encrypted = new Promise((resolve) => third.once('secureConnect', resolve));
    expect(await Promise.race([encrypted, endOf(third)])).to.equal('ended');
    first.destroy();
    await eventually(
      () => Promise.resolve(server.connections()),
      (open) => open < 2,
    );
    expect(await answerTo(openSecure(), REQUEST)).to.match(/^HTTP\/1\.1 200 OK[^]*here$/);
  });

  it('cut off a client that sends requests without reading the answers', async () => {
    await start();
    const socket = openSecure();
    socket.write('GET /never HTTP/1.1\r\nHost: test\r\n\r\n' + REQUEST.repeat(9));
    expect(await endOf(socket)).to.equal('ended');
  });

  it('cut off a client that does not read its answer', async () => {
    await start(6000);
    const socket = openSecure();
    socket.pause();
    socket.write('GET /large HTTP/1.1\r\nHost: test\r\n\r\n');
    await eventually(
      () => Promise.resolve(server.connections()),
      (open) => open === 1,
    );
    await eventually(
      () => Promise.resolve(server.connections()),
      (open) => open === 0,
    );
  });

  it('let a client read all of a long answer', async () => {
    await start();
    const socket = openSecure();
    socket.write('GET /large HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n');
    let received = 0;
    for await (const chunk of socket) received += (chunk as Buffer).length;
    expect(received).to.be.greaterThan(24 * 2 ** 20);
  });

  function openPlain() {
    const socket = connect({ host: '127.0.0.1', port: server.port });
    socket.on('error', () => undefined).resume();
    sockets.push(socket);
    return socket;
  }

  function openSecure(): TLSSocket {
    const socket = connectTls({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    socket.on('error', () => undefined);
    sockets.push(socket);
    return socket;
  }

  function endOf(socket: Socket): Promise<string> {
    socket.resume();
    return new Promise((resolve) =>
      socket.once('close', () => {
        resolve('ended');
      }),
    );
  }

  async function answerTo(socket: TLSSocket, bytes: string): Promise<string> {
    socket.write(bytes);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  }
});
