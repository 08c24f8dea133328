import { Agent, type IncomingMessage, request } from 'node:http';
import { finished } from 'node:stream/promises';

export type TransportRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** For everything, from the connection to the end of the answer. */
  readonly timeoutMs: number;
};

/** Carries one request and gives the status of its answer; rejects where none came. */
export type Transport = {
  post(request: TransportRequest): Promise<number>;
  close(): void;
};

/** Like Edge: no compression, a declared length, at most two idle connections kept. */
export function createHttpTransport(): Transport {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 2 });
  return {
    async post({ url, headers, body, timeoutMs }) {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const outgoing = request(url, {
          method: 'POST',
          agent,
          headers: { ...headers, 'content-length': String(body.byteLength) },
          signal: AbortSignal.timeout(timeoutMs),
        });
        outgoing.once('response', resolve).once('error', reject).end(body);
      });
      // To the end, or the connection could not be used again.
      await finished(response.resume());
      return response.statusCode ?? 0;
    },
    close() {
      agent.destroy();
    },
  };
}
