import { once } from 'node:events';
import { type IncomingMessage, type RequestListener, createServer } from 'node:http';
import { type AddressInfo, type Socket, createServer as createTcpServer } from 'node:net';

/** A request as it arrived, without its body. */
export type Arrival = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>;

/** A server instead of Unleash, for behaviour that the real product does not show on demand. */
export type RawUpstream = {
  readonly url: string;
  /** Requests so far. */
  readonly arrivals: readonly Arrival[];
  /** Connections so far, and open connections. */
  connections(): { readonly made: number; readonly open: number };
  /** Sets the answer from now on. The initial answer is 200 and `from upstream`. */
  answer(listener: RequestListener): void;
  /** Bytes that the server writes to every new connection instead of HTTP. */
  speak(bytes: string): void;
  /** Stops at once and closes all connections. */
  kill(): Promise<void>;
  /** Restarts at the same address with the initial answer. */
  revive(): Promise<void>;
};

const AT_FIRST: RequestListener = (request, response) => {
  request.resume();
  request.once('end', () => response.end('from upstream'));
};

export async function startRawUpstream(): Promise<RawUpstream> {
  let listener = AT_FIRST;
  let spoken: string | undefined;
  let made = 0;
  const arrivals: Arrival[] = [];
  const sockets = new Set<Socket>();
  const http = createServer({ keepAliveTimeout: 15_000 }, (request, response) => {
    const { method, url, headers, rawHeaders } = request;
    arrivals.push({ method, url, headers, rawHeaders });
    listener(request, response);
  });
  const server = createTcpServer((socket) => {
    made += 1;
    sockets.add(socket);
    socket.on('error', () => undefined); // 'close' follows
    socket.once('close', () => sockets.delete(socket));
    if (spoken === undefined) http.emit('connection', socket);
    else socket.once('data', () => socket.write(spoken ?? ''));
  });
  const listen = async (port: number): Promise<number> => {
    server.listen({ host: '127.0.0.1', port });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // an address is a string for pipes only
  };
  const port = await listen(0);
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    connections: () => ({ made, open: sockets.size }),
    answer(wanted) {
      listener = wanted;
    },
    speak(bytes) {
      spoken = bytes;
    },
    async kill() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async revive() {
      listener = AT_FIRST;
      spoken = undefined;
      if (!server.listening) await listen(port);
    },
  };
}
