import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type Socket, connect } from 'node:net';
import { createServer } from 'node:tls';
import type { Identity } from '../../../support/servers/certificates.ts';

export type TlsProxy = { readonly port: number; close(): Promise<void> };

/** Terminates TLS in front of an engine of this machine that does not support it. */
export async function startTlsProxy(targetPort: number, { certificate, key }: Identity): Promise<TlsProxy> {
  const sockets = new Set<Socket>();
  const identity = { cert: await readFile(certificate), key: await readFile(key) };
  const server = createServer(identity, (client) => {
    const target = connect({ port: targetPort, host: '127.0.0.1' });
    for (const [socket, other] of [
      [client, target],
      [target, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.on('tlsClientError', () => undefined); // the client reports the reason
  server.listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
