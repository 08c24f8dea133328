import { createRequire } from 'node:module';
import { type Socket, connect } from 'node:net';
import { expect } from 'chai';
import '#core/kafka';

type Connection = { connect(): Promise<unknown>; disconnect(): Promise<unknown> };

const require = createRequire(import.meta.url);
const Connection = require('kafkajs/src/network/connection') as new (options: object) => Connection;

describe('a connection to a broker that is down', () => {
  it('leaves one listener at its socket, however often it is ended', async () => {
    const sockets: Socket[] = [];
    const connection = new Connection({
      host: '127.0.0.1',
      port: 1,
      clientId: 'test',
      connectionTimeout: 10_000,
      requestTimeout: 10_000,
      logger: { namespace: () => ({ debug: nothing, error: nothing, info: nothing, warn: nothing }) },
      socketFactory({ host, port }: { host: string; port: number }) {
        const socket = connect({ host, port });
        sockets.push(socket);
        return socket;
      },
    });
    const failure: unknown = await connection.connect().catch((error: unknown) => error);
    expect(String(failure)).to.include('ECONNREFUSED');
    for (let times = 0; times < 5; times += 1) await connection.disconnect();

    // The one of kafkajs itself.
    expect(sockets.map((socket) => socket.listenerCount('connect'))).to.deep.equal([1]);
  });
});

function nothing(): void {
  // The test reads the listeners.
}
