import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';

/** A wire between two processes that can be cut, or lose what comes back. */
export type TcpProxy = {
  readonly port: number;
  /** Loses every answer from now on; requests still get through. */
  swallowAnswers(): void;
  /** Resolves when bytes were lost since `swallowAnswers`. */
  swallowed(): Promise<void>;
  /** Breaks all connections and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections again and loses nothing. */
  mend(): Promise<void>;
  close(): Promise<void>;
};

/** Passes connections on to a port of this machine. Listens on `port`, or on any free one. */
export async function startTcpProxy(targetPort: () => number, port = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isSwallowing = false;
  let onSwallowed: () => void = () => undefined;
  let swallowed = Promise.resolve();
  const server = createServer((client) => {
    const target = connect({ port: targetPort(), host: '127.0.0.1' });
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
    }
    client.on('data', (bytes) => target.write(bytes));
    target.on('data', (bytes) => {
      if (isSwallowing) onSwallowed();
      else client.write(bytes);
    });
  });
  await listen(server, port);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const cut = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    port: bound,
    swallowAnswers() {
      isSwallowing = true;
      swallowed = new Promise((resolve) => {
        onSwallowed = resolve;
      });
    },
    swallowed: () => swallowed,
    cut,
    async mend() {
      isSwallowing = false;
      if (!server.listening) await listen(server, bound);
    },
    close: cut,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening');
}
