import { type Server, createServer } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type Koa from 'koa';
import { inBackground } from '#base/runtime';
import type { OnForeign } from './foreign-protocols.ts';
import { guardConnections } from './guard-connections.ts';
import { letContinueWhenRead } from './let-continue.ts';
import { oneAtATime } from './one-at-a-time.ts';
import type { Direct } from '../serve-directly.ts';
import { answerProtocolErrors } from './protocol-errors.ts';
import { type ListenTls, createSecureServer } from './secure-server.ts';

export type ListenOptions = {
  readonly host: string;
  readonly port: number;
  /** The deadline for receiving a whole request, and for the client to read the answer. The headers have half of it. */
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** Undefined to listen without TLS. A handshake has the same time as the headers. */
  readonly tls?: ListenTls | undefined;
  /** Serves requests before the app. */
  readonly direct?: Direct | undefined;
  /** Called for each connection that begins with another protocol than that of the port. */
  readonly onForeign?: OnForeign | undefined;
  /** Whether the port belongs to this process alone, also if it runs in node:cluster. */
  readonly isExclusive?: boolean;
};

export type HttpServer = {
  /** The base URL with the actual port. */
  readonly url: string;
  readonly port: number;
  /** The number of open connections. */
  connections(): number;
  /** Stops accepting connections, and keeps those that are open, also idle ones. */
  stopAccepting(): void;
  /** Stops accepting connections, waits up to `deadlineMs` for open requests, then cuts the remaining connections. */
  close(deadlineMs: number): Promise<void>;
};

/** Serves an app. It cuts off slow headers and bodies. Keep-alive lasts longer than the minute of a load balancer. */
export async function listen(app: Koa, options: ListenOptions): Promise<HttpServer> {
  const { host, port, isExclusive = false } = options;
  const { server, connections } = createHttpServer(app, options);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: isExclusive }, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo; // it is a string only for pipes
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    port: boundPort,
    connections: () => connections.open(),
    stopAccepting() {
      TcpServer.prototype.close.call(server); // that of HTTP would also close idle connections
    },
    close: (deadlineMs) =>
      closeGracefully(server, deadlineMs, () => {
        connections.cut();
      }),
  };
}

/**
 * How many bytes of a body wait to be read, for example while its token is looked up, in addition to those that come with the last. Each
 * may be a chunk of its own: with the 64 KiB of Node 22 and later, a stranger's body cost 150 ms of CPU instead of 70.
 */
const WAITING_BYTES = 16 * 1024;

function createHttpServer(
  app: Koa,
  { requestTimeoutMs, tls, direct = () => undefined, onForeign = () => undefined, ...limits }: ListenOptions,
) {
  const handle = app.callback();
  const http = {
    headersTimeout: requestTimeoutMs / 2,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: 75_000,
    connectionsCheckingInterval: 1000,
    // The app itself requires the header, and answers with the error body of the contract.
    requireHostHeader: false,
    highWaterMark: WAITING_BYTES,
  };
  const server =
    tls === undefined
      ? createServer(http)
      : createSecureServer({ ...tls, http, handshakeTimeoutMs: http.headersTimeout, onForeign });
  answerProtocolErrors(
    server,
    oneAtATime((request, response) => {
      inBackground(direct(request, response) ?? handle(request, response), (error) => {
        app.emit('error', error);
        response.destroy();
      });
    }),
    onForeign,
  );
  server.prependListener('checkContinue', letContinueWhenRead);
  const connections = guardConnections(server, {
    ...limits,
    receiveWithinMs: requestTimeoutMs,
    isSecure: tls !== undefined,
  });
  return { server, connections };
}

const CLOSE_IDLE_EVERY_MS = 50;

async function closeGracefully(server: Server, deadlineMs: number, cut: () => void): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => {
      resolve();
    });
  });
  // Node does not close a connection that becomes idle after the close began, so we close it here.
  const closingIdle = setInterval(() => {
    server.closeIdleConnections();
  }, CLOSE_IDLE_EVERY_MS);
  const deadline = setTimeout(cut, deadlineMs);
  await closed;
  clearInterval(closingIdle);
  clearTimeout(deadline);
}
