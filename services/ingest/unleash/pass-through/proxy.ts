import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { createProxyServer } from 'httpxy';

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called when the request has a socket to Unleash, which may still be connecting. */
  readonly onRequest: (outgoing: ClientRequest) => void;
  /** Called with the headers of the answer, before they go to the client. */
  readonly onAnswer: (answer: IncomingMessage) => void;
};

export type Proxy = {
  /** Resolves when the response is closed, for any reason. Rejects if Unleash gives no answer. */
  pass(exchange: Exchange): Promise<void>;
};

const AGENT = {
  keepAlive: true,
  // Streams keep their connection for hours; the caller bounds the number of requests.
  maxSockets: Infinity,
  maxFreeSockets: 256,
  // Servers made with Node close idle connections after 5 s. A request on a connection that is closing would fail.
  timeout: 4000,
} as const;

/** Passes requests to one server through its own connection pool. The only importer of httpxy. */
export function createProxy(url: string): Proxy {
  const { protocol, host, hostname, port, pathname } = new URL(url);
  const agent = protocol === 'https:' ? new https.Agent(AGENT) : new http.Agent(AGENT);
  const options = {
    // Sockets expect IPv6 addresses without brackets.
    target: { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port, pathname },
    agent,
    // Ingress controllers choose a service by the Host header.
    changeOrigin: true,
    preserveHeaderKeyCase: true,
  };
  return {
    async pass({ request, response, onRequest, onAnswer }) {
      const proxy = createProxyServer();
      proxy.on('proxyReq', (outgoing) => {
        rejectUpgrade(outgoing);
        onRequest(outgoing);
      });
      proxy.on('proxyRes', onAnswer);
      await proxy.web(request, response, options);
    },
  };
}

/** No one asks for an upgrade. Without a listener, Node would end a request with the answer 101 without an error. */
function rejectUpgrade(outgoing: ClientRequest): void {
  outgoing.once('upgrade', (_answer, socket) => {
    socket.destroy();
    outgoing.emit('error', new Error('an unexpected upgrade'));
  });
}
