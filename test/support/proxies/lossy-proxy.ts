import { Agent, type IncomingMessage, type ServerResponse, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to a request. `cut`: it arrives, and its connection breaks instead of an answer. `silent`: it arrives, and no
 * answer ever comes. `busy`: it does not arrive, and the answer is 503.
 */
export type Fault = 'none' | 'cut' | 'silent' | 'busy';

export type LossyProxy = {
  readonly url: string;
  /** The number of requests by fault. */
  readonly tally: Readonly<Record<Fault, number>>;
  close(): void;
};

/** Forwards HTTP requests to the server at `target()`, each with the fault that `choose` returns. */
export async function startLossyProxy(
  target: () => string,
  choose: (incoming: IncomingMessage) => Fault,
): Promise<LossyProxy> {
  const tally: Record<Fault, number> = { none: 0, cut: 0, silent: 0, busy: 0 };
  const agent = new Agent({ keepAlive: true });
  const server = createServer((incoming, outgoing) => {
    const fault = choose(incoming);
    tally[fault] += 1;
    if (fault !== 'busy') forward(incoming, outgoing, { url: target(), agent, fault });
    else {
      incoming.resume();
      outgoing.writeHead(503).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    tally,
    close() {
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

type Forwarding = { readonly url: string; readonly agent: Agent; readonly fault: Fault };

function forward(incoming: IncomingMessage, outgoing: ServerResponse, to: Forwarding): void {
  const { method = 'GET', url = '/', headers } = incoming;
  const forwarded = request(`${to.url}${url}`, { method, headers, agent: to.agent }, (answer) => {
    if (to.fault === 'none') {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
      return;
    }
    answer.resume();
    if (to.fault === 'cut') incoming.socket.destroy();
  });
  forwarded.once('error', () => incoming.socket.destroy());
  incoming.pipe(forwarded);
}
