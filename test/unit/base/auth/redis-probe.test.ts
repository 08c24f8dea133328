import { once } from 'node:events';
import { type AddressInfo, type Server, createServer } from 'node:net';
import { expect } from 'chai';
import { type RedisProbe, openRedisProbe } from '#base/auth';
import { createLog } from '#base/runtime';

/** Longer than a request of ingest may wait for Redis. */
const SLOW_MS = 2200;
const INFO = '# Server\r\nredis_version:7.2.4\r\n';
const BULK = `$${INFO.length}\r\n${INFO}\r\n`;

describe('the probe of Redis', () => {
  let server: Server;
  let probe: RedisProbe;

  before(async () => {
    server = createServer((socket) => {
      socket.on('data', (data) => {
        // Several commands may arrive at once, because ioredis first sends the name of its library.
        const commands = data
          .toString()
          .split(/^\*\d+\r\n/m)
          .slice(1);
        const answers = commands.map((text) => (/info\r\n/i.test(text) ? BULK : '+OK\r\n'));
        setTimeout(() => socket.write(answers.join('')), SLOW_MS);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on a port
    probe = openRedisProbe({ url: `redis://127.0.0.1:${port}`, tls: undefined }, createLog('test', 'fatal'));
  });
  after(() => {
    probe.close();
    server.close();
  });

  it('waits for a Redis that is slow, because a busy machine is not a broken one', async () => {
    expect(await probe.readVersion()).to.equal('7.2.4');
  });
});
