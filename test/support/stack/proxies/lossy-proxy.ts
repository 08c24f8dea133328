import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';

/**
 * What happens to a request. It arrives, but its connection breaks instead of an answer (`cut`), no answer ever comes
 * (`silent`), or it arrives ten seconds late (`slow`). It does not arrive, and the answer is no HTTP (`garbage`) or this
 * status.
 */
export type Fault = 'none' | 'cut' | 'silent' | 'slow' | 'garbage' | 401 | 429 | 500 | 503;

export type LossyProxy = {
  readonly url: string;
  /** The number of requests with this fault. */
  count(fault: Fault): number;
  /** Whether the latest request was answered by the server; undefined while it runs, and true before the first one. */
  wasAnswered(): boolean | undefined;
  close(): void;
};

const SLOW_MS = 10_000;

/** Forwards HTTP requests to the server at `target()`, each with the fault that `choose` returns. */
export async function startLossyProxy(
  target: () => string,
  choose: (incoming: IncomingMessage) => Fault,
): Promise<LossyProxy> {
  const counts = new Map<Fault, number>();
  const agent = new Agent({ keepAlive: true });
  let wasAnswered: boolean | undefined = true;
  const server = createServer((incoming, outgoing) => {
    const fault = choose(incoming);
    counts.set(fault, (counts.get(fault) ?? 0) + 1);
    wasAnswered = undefined;
    outgoing.once('close', () => {
      wasAnswered = fault === 'none' && outgoing.writableFinished;
    });
    if (typeof fault === 'number') {
      incoming.resume();
      outgoing.writeHead(fault).end();
    } else if (fault === 'garbage') incoming.socket.end('garbage\r\n\r\n');
    else inBackground(forward(incoming, outgoing, { target, agent, fault }), () => incoming.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    count: (fault) => counts.get(fault) ?? 0,
    wasAnswered: () => wasAnswered,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

type Forwarding = { readonly target: () => string; readonly agent: Agent; readonly fault: Fault };

async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { target, agent, fault }: Forwarding,
): Promise<void> {
  if (fault === 'slow') await sleep(SLOW_MS, undefined, { ref: false });
  const { method = 'GET', url = '/', headers } = incoming;
  const forwarded = request(`${target()}${url}`, { method, headers, agent }, (answer) => {
    if (fault === 'cut' || fault === 'silent') {
      answer.resume();
      if (fault === 'cut') incoming.socket.destroy();
      return;
    }
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  forwarded.once('error', () => incoming.socket.destroy());
  incoming.pipe(forwarded);
}
