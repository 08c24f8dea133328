import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import Koa from 'koa';
import { inBackground } from '#base/runtime';
import { type HttpServer, listen } from '../../../../packages/base/http/connections/listen.ts';
import { eventually } from '../../../support/eventually.ts';
import { openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';

/** What arrives at once, each in a chunk of six bytes. */
const OF_ONE_READ = 64 * 1024;
const CHUNKS = 100_000;

describe('a body that waits', () => {
  let server: HttpServer;
  let arrived: Promise<IncomingMessage>;
  before(async () => {
    const app = new Koa();
    arrived = new Promise((resolve) => {
      app.use(({ req }) => {
        resolve(req);
        return new Promise<void>(() => undefined);
      });
    });
    server = await listen(app, {
      host: '127.0.0.1',
      port: 0,
      requestTimeoutMs: 60_000,
      maxConnections: 10,
      maxConnectionsPerAddress: 10,
    });
  });
  after(() => server.close(0));

  it('holds few chunks, however short they are', async () => {
    const connection = await openRawConnection(server.url);
    const body = rawHead('/', { 'Transfer-Encoding': 'chunked' }) + '1\r\n \r\n'.repeat(CHUNKS);
    inBackground(connection.write(body), () => undefined); // it is cut off
    const request = await arrived;
    const held = await eventually(
      () => Promise.resolve(request.readableLength),
      (length) => length >= request.readableHighWaterMark,
    );
    connection.cut();
    expect(held).to.be.lessThan(OF_ONE_READ / 2);
  });
});
