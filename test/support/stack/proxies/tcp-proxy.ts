import { once } from 'node:events';
import { type Server, type Socket, connect, createServer } from 'node:net';

/** A connection between two processes that a test can cut, slow down, or make lose answers. */
export type TcpProxy = {
  readonly port: number;
  /** Loses every answer from now on, or only those to such requests. Requests still get through. */
  swallowAnswers(isOf?: (request: Buffer) => boolean): void;
  /** Resolves when bytes were lost since `swallowAnswers`. */
  swallowed(): Promise<void>;
  /** Holds every request from now on, even if its client dies. */
  holdRequests(): void;
  /** Resolves when the proxy holds a whole chunked request, such as an INSERT. */
  held(): Promise<void>;
  /** Delivers the held requests. */
  releaseRequests(): void;
  /** Delays every answer from now on. */
  delay(ms: number): void;
  /** From now on each connection delivers answers with this rate. */
  slow(bytesPerSecond: number): void;
  /** Breaks all connections and rejects new ones. */
  cut(): Promise<void>;
  /** Accepts connections again, without losses, delays or a rate. */
  mend(): Promise<void>;
  close(): Promise<void>;
};

/** Forwards connections to a port of this machine. Listens on `port`, by default on any free one. */
export async function startTcpProxy(targetPort: () => number, port = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isLost: (request: Buffer) => boolean = () => false;
  let delayMs = 0;
  let bytesPerSecond = Infinity;
  let isHolding = false;
  const heldOf = new Map<Socket, Buffer[]>();
  let onHeld: () => void = () => undefined;
  let held = Promise.resolve();
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
    let request = Buffer.alloc(0);
    client.on('data', (bytes) => {
      request = bytes;
      if (!isHolding) target.write(bytes);
      else {
        heldOf.set(client, [...(heldOf.get(client) ?? []), bytes]);
        if (bytes.toString('latin1').endsWith('\r\n0\r\n\r\n')) onHeld();
      }
    });
    target.on('data', (bytes) => {
      if (isLost(request)) onSwallowed();
      else if (delayMs === 0) client.write(bytes);
      else setTimeout(() => client.write(bytes), delayMs);
      if (bytesPerSecond === Infinity) return;
      target.pause();
      setTimeout(() => target.resume(), (bytes.length / bytesPerSecond) * 1000);
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
    swallowAnswers(isOf = () => true) {
      isLost = isOf;
      swallowed = new Promise((resolve) => {
        onSwallowed = resolve;
      });
    },
    swallowed: () => swallowed,
    holdRequests() {
      isHolding = true;
      held = new Promise((resolve) => {
        onHeld = resolve;
      });
    },
    held: () => held,
    releaseRequests() {
      isHolding = false;
      // On new connections, because the target has closed those that were idle for so long.
      for (const chunks of heldOf.values()) {
        const late = connect({ port: targetPort(), host: '127.0.0.1' });
        sockets.add(late);
        late.on('error', () => undefined).resume();
        late.write(Buffer.concat(chunks));
      }
      heldOf.clear();
    },
    delay(ms) {
      delayMs = ms;
    },
    slow(rate) {
      bytesPerSecond = rate;
    },
    cut,
    async mend() {
      isLost = () => false;
      delayMs = 0;
      bytesPerSecond = Infinity;
      if (!server.listening) await listen(server, bound);
    },
    close: cut,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen({ port, host: '127.0.0.1' });
  await once(server, 'listening');
}
