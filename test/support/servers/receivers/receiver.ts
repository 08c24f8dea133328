import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Identity } from '../certificates.ts';

export type Received = {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
};

/** Answers a request; by default with 204. */
export type Answering = (response: ServerResponse, request: IncomingMessage) => void;

export type Receiver = {
  readonly port: number;
  readonly url: string;
  /** Everything that arrived whole. */
  readonly received: Received[];
  /** Connections so far, also those without a request. */
  connections(): number;
  answer(next: Answering): void;
  close(): Promise<void>;
};

/** A receiver of webhooks: a real HTTPS server on 127.0.0.1. */
export async function startReceiver({ certificate, key }: Identity, port = 0): Promise<Receiver> {
  const received: Received[] = [];
  let answering: Answering = (response) => response.writeHead(204).end();
  let connections = 0;
  const [cert, secretKey] = await Promise.all([readFile(certificate), readFile(key)]);
  const server = createServer({ cert, key: secretKey }, (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts).toString() });
      answering(response, request);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo; // it listens on a port
  return {
    port: bound,
    url: `https://127.0.0.1:${bound}/hook`,
    received,
    connections: () => connections,
    answer(next) {
      answering = next;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
