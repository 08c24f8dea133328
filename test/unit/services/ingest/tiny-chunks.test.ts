import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { cutTinyChunks } from '#base/http';
import { observeBody } from '../../../../services/ingest/reports/observe-body.ts';
import { openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';

const HEAD = rawHead('/', { 'Transfer-Encoding': 'chunked' });
const CHUNKS = 4000;
const TINY = `${HEAD}${'1\r\n \r\n'.repeat(CHUNKS)}0\r\n\r\n`;
const HONEST = `${HEAD}${`20\r\n${' '.repeat(32)}\r\n`.repeat(CHUNKS)}0\r\n\r\n`;

describe('a body that somebody else reads', () => {
  let server: Server;
  let seen: (request: IncomingMessage) => void = () => undefined;
  beforeEach(async () => {
    server = createServer((request, response) => {
      seen(request);
      request.on('error', () => undefined);
      request.on('end', () => response.end());
      request.resume();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  it('costs its client the connection if its chunks are tiny', async () => {
    seen = cutTinyChunks;
    const connection = await connect();
    await connection.write(TINY).catch(() => undefined);
    expect(await connection.closed()).to.equal('');
  });

  it('is read to its end if its chunks are short', async () => {
    seen = cutTinyChunks;
    const connection = await connect();
    await connection.write(HONEST);
    expect((await connection.answer()).status).to.equal(200);
    connection.cut();
  });

  it('takes room for each chunk of its copy, not only for the bytes', async () => {
    let reserved = 0;
    seen = (request) => {
      observeBody(request, { limit: CHUNKS, reserve: (bytes) => (reserved += bytes) > 0 });
    };
    const connection = await connect();
    await connection.write(TINY);
    await connection.answer();
    connection.cut();
    expect(reserved).to.be.greaterThan(100 * CHUNKS);
  });

  function connect() {
    const { port } = server.address() as AddressInfo; // it listens on a port
    return openRawConnection(`http://127.0.0.1:${port}`);
  }
});
