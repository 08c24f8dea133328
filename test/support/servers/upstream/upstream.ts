import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type UpstreamRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

export type Respond = (request: UpstreamRequest, response: ServerResponse) => void;

/** A server instead of Unleash, for faults that the real one does not show on demand. */
export type Upstream = {
  readonly url: string;
  /** Requests so far. */
  readonly requests: UpstreamRequest[];
  /** Sets the answer from now on. */
  respond: Respond;
  /** Cuts all connections and rejects new ones. */
  close(): Promise<void>;
  /** Listens again at the same address. */
  reopen(): Promise<void>;
};

export async function startUpstream(respond: Respond): Promise<Upstream> {
  const requests: UpstreamRequest[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (part: string) => (body += part));
    request.once('end', () => {
      const asked = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
      };
      requests.push(asked);
      upstream.respond(asked, response);
    });
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}`,
    requests,
    respond,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
    reopen: () => listen(port),
  };
  return upstream;
}

export function answerJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
