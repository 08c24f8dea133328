import http, { type ClientRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { createProxyServer } from 'httpxy';

export type Exchange = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Called when the request has a connection to Unleash, which may not be open yet. */
  readonly onRequest: (outgoing: ClientRequest) => void;
  /** Called with the head of the answer before it goes to the client. */
  readonly onAnswer: (answer: IncomingMessage) => void;
};

export type Proxy = {
  /** Resolves when the response is closed, for whatever reason. Rejects if Unleash gives no answer. */
  pass(exchange: Exchange): Promise<void>;
};

const AGENT = {
  keepAlive: true,
  // Streams hold theirs for hours; the caller bounds the number of requests.
  maxSockets: Infinity,
  maxFreeSockets: 256,
  // Below the 5 s after which servers made with Node close idle connections: a request on a closing one fails.
  timeout: 4000,
} as const;

/** The only user of httpxy: passes requests to one server with a pool of connections of its own. */
export function createProxy(url: string): Proxy {
  const { protocol, host, hostname, port, pathname } = new URL(url);
  const agent = protocol === 'https:' ? new https.Agent(AGENT) : new http.Agent(AGENT);
  const options = {
    // Sockets know no brackets around IPv6 addresses.
    target: { protocol, host, hostname: hostname.replace(/^\[|\]$/g, ''), port, pathname },
    agent,
    // Ingress controllers choose a service by Host.
    changeOrigin: true,
    preserveHeaderKeyCase: true,
  };
  return {
    async pass({ request, response, onRequest, onAnswer }) {
      const proxy = createProxyServer();
      proxy.on('proxyReq', onRequest);
      proxy.on('proxyRes', onAnswer);
      await proxy.web(request, response, options);
    },
  };
}
