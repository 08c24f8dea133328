import { Agent, type IncomingMessage, request } from 'node:http';
import { finished } from 'node:stream/promises';

export type TransportRequest = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The deadline for the whole request, from connecting to the end of the answer. */
  readonly timeoutMs: number;
};

/** Sends one request and returns the status of its answer; rejects without an answer. */
export type Transport = {
  post(request: TransportRequest): Promise<number>;
  close(): void;
};

/** As Edge does: no compression, a declared length, at most two idle connections. */
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
      // Read to the end: otherwise the connection could not be reused.
      await finished(response.resume());
      return response.statusCode ?? 0;
    },
    close() {
      agent.destroy();
    },
  };
}
