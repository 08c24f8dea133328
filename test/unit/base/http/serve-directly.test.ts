import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Exchange, HttpProblem } from '#base/http';
import { createLog } from '#base/runtime';
import { createApp } from '../../../../packages/base/http/app.ts';
import { type HttpServer, listen } from '../../../../packages/base/http/connections/listen.ts';
import { serveDirectly } from '../../../../packages/base/http/serve-directly.ts';
import { createTrustedProxies } from '../../../../packages/base/http/addresses/trusted-proxies.ts';

/** What handlers do, by the name of their path. */
const HANDLERS: Readonly<Record<string, (exchange: Exchange) => Promise<void> | void>> = {
  nothing(exchange) {
    exchange.body = null;
    exchange.status = 202;
  },
  object(exchange) {
    exchange.body = { address: exchange.ip, agent: exchange.get('User-Agent'), method: exchange.method };
    exchange.status = 200;
  },
  bytes(exchange) {
    exchange.status = 200;
    exchange.set('Content-Type', 'application/x-protobuf');
    exchange.body = Buffer.from([8, 1]);
  },
  problem() {
    throw new HttpProblem(429, 'Too often.', { headers: { 'Retry-After': '7' } });
  },
  async failure() {
    await Promise.reject(new TypeError('a secret'));
  },
  silence(exchange) {
    exchange.respond = false;
    exchange.req.socket.destroy();
  },
};

describe('a request that is served directly', () => {
  let server: HttpServer;
  let isStopping = false;

  before(async () => {
    const options = {
      log: createLog('test', 'silent'),
      proxies: createTrustedProxies(['127.0.0.1']),
      isStopping: () => isStopping,
    };
    const app = createApp(options);
    app.use((ctx) => HANDLERS[ctx.path.toLowerCase().slice(1)]?.(ctx));
    const handlers = Object.entries(HANDLERS).map(
      ([name, handle]) => [`/${name}`, async (exchange: Exchange) => handle(exchange)] as const,
    );
    server = await listen(app, {
      host: '127.0.0.1',
      port: 0,
      requestTimeoutMs: 5000,
      maxConnections: 100,
      maxConnectionsPerAddress: 100,
      direct: serveDirectly(new Map(handlers), options),
    });
  });

  after(() => server.close(0));

  /** The whole answer to two requests on one connection, without what is random. */
  async function answerTo(path: string, head: string, body: string): Promise<string> {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const post = `POST ${path} HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n`;
    socket.write(`${post}\r\n${body}${post}Connection: close\r\n\r\n${body}`);
    return (await text(socket).catch(() => 'reset')).replaceAll(/^Date: .*$|"id":"[\w-]+"/gm, '');
  }

  const HEADS = {
    'usual headers': 'Host: a\r\nUser-Agent: edge\r\nX-Forwarded-For: 10.1.2.3\r\n',
    'no host': '',
    'an unknown expectation': 'Host: a\r\nExpect: wonders\r\n',
  };
  const BODIES = { 'a short body': '{}', 'a body that nobody reads': ' '.repeat(300_000) };

  for (const name of Object.keys(HANDLERS))
    for (const [ofHead, head] of Object.entries(HEADS))
      for (const [ofBody, body] of Object.entries(BODIES))
        for (const stopping of [false, true])
          it(`gets the answer of the app: ${name}, ${ofHead}, ${ofBody}${stopping ? ', while stopping' : ''}`, async () => {
            isStopping = stopping;
            const direct = await answerTo(`/${name}`, head, body);
            expect(linesOf(direct)).to.deep.equal(
              linesOf(await answerTo(`/${name.toUpperCase()}`, head, body)),
            );
            expect(direct.startsWith('HTTP/1.1 ')).to.equal(
              name !== 'silence' || head !== HEADS['usual headers'],
            );
          });
});

/** Headers may come in any order. */
function linesOf(answer: string): string[] {
  return answer.split('\r\n').toSorted();
}
