import {
  type IncomingMessage,
  type RequestListener,
  STATUS_CODES,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { BROWSER_HEADERS } from '../browser-headers.ts';
import { type ForeignProtocol, type OnForeign, foreignProtocolOf } from './foreign-protocols.ts';
import { HttpProblem, problemBody } from '../problems/problems.ts';
import { DISCARDED_BYTES } from '../requests/discard-rest.ts';

/** A rejected client may send for this time before we cut the connection. Cutting at once could lose the answer. */
const LINGER_MS = 1000;

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse };

/**
 * Passes requests to `handle`, and answers the input that never becomes a request: bytes that are not HTTP, headers that are
 * too large, late requests, CONNECT. Each gets one answer with the error body of the contract, after the answers of earlier
 * requests. Then the connection closes, and nothing that follows is handled: a relay that got 408 sends its data again in
 * another body.
 */
export function answerProtocolErrors(server: Server, handle: RequestListener, onForeign: OnForeign): void {
  const latest = new WeakMap<Duplex, Exchange>();
  const rejected = new WeakSet<Duplex>();
  const accept = (request: IncomingMessage, response: ServerResponse): void => {
    if (rejected.has(request.socket)) return;
    latest.set(request.socket, { request, response });
    handle(request, response);
  };
  const reject = (socket: Duplex, problem: HttpProblem): void => {
    rejected.add(socket);
    answerOnce(socket, problem, latest.get(socket));
  };
  server.on('request', accept);
  server.on('checkContinue', accept);
  server.on('checkExpectation', accept);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) => {
    // Node no longer handles errors of this socket, so an unhandled one would end the process.
    socket.on('error', () => socket.destroy());
    socket.resume();
    reject(socket, new HttpProblem(405, 'This server is not a proxy.', { headers: { Allow: '' } }));
  });
  server.on('clientError', (error: ClientError, socket: Socket) => {
    if (rejected.has(socket)) {
      // The parser reports another error for each chunk after the rejection.
      if (socket.bytesRead > DISCARDED_BYTES) socket.destroy();
      return;
    }
    const protocol = protocolOf(error, socket);
    if (protocol !== undefined) onForeign(protocol, socket);
    const problem = protocol === undefined ? problemOf(error) : foreign(protocol);
    if (problem === undefined || !socket.writable) socket.destroy();
    else reject(socket, problem);
  });
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/** The other protocol with which the connection began. Undefined for errors of HTTP. */
function protocolOf({ code, rawPacket }: ClientError, { bytesRead }: Socket): ForeignProtocol | undefined {
  if (code === 'HPE_PAUSED_H2_UPGRADE') return 'http2';
  return rawPacket && foreignProtocolOf(rawPacket, bytesRead - rawPacket.length);
}

function foreign(protocol: ForeignProtocol): HttpProblem {
  return new HttpProblem(400, `The connection must begin with HTTP/1.1, not with ${TITLES[protocol]}.`);
}

const TITLES: Readonly<Record<ForeignProtocol, string>> = {
  proxy_v1: 'the PROXY protocol',
  proxy_v2: 'the PROXY protocol',
  tls: 'TLS',
  http: 'HTTP',
  http2: 'HTTP/2',
};

/** Undefined if there is no client left to answer. */
function problemOf({ code = '' }: NodeJS.ErrnoException): HttpProblem | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new HttpProblem(408, 'The request did not arrive in time.');
  if (code === 'HPE_HEADER_OVERFLOW') return new HttpProblem(431, 'The headers are too large.');
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW')
    return new HttpProblem(413, 'The chunk extensions are too large.');
  return code.startsWith('HPE_') ? new HttpProblem(400, 'The request is not valid HTTP.') : undefined;
}

function answerOnce(socket: Duplex, problem: HttpProblem, exchange: Exchange | undefined): void {
  if (exchange === undefined) closeWith(socket, rawAnswer(problem));
  else if (!exchange.request.complete) answerWithinBody(problem, exchange);
  else if (exchange.response.writableFinished) closeWith(socket, rawAnswer(problem));
  else {
    exchange.response.once('finish', () => {
      closeWith(socket, rawAnswer(problem));
    });
  }
}

/** Handles an error within the body of the latest request. If the app has already answered, no second answer is sent. */
function answerWithinBody(problem: HttpProblem, { request, response }: Exchange): void {
  const cutOff = (): void => {
    // Destroyed before answering: otherwise the rest of the body could still arrive, and we would store a batch that we reject.
    request.destroy();
  };
  if (response.writableFinished) {
    cutOff();
  } else if (response.headersSent) {
    response.once('finish', cutOff);
  } else {
    const body = JSON.stringify(problemBody(problem));
    response.writeHead(problem.status, headersOf(body, problem)).end(body, cutOff);
  }
}

function closeWith(socket: Duplex, answer: string): void {
  if (!socket.writable) return;
  socket.end(answer);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(timer);
  });
}

function rawAnswer(problem: HttpProblem): string {
  const body = JSON.stringify(problemBody(problem));
  const lines = Object.entries(headersOf(body, problem)).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('')}\r\n${body}`;
}

function headersOf(body: string, { headers }: HttpProblem): Record<string, string | number> {
  return {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
    ...BROWSER_HEADERS,
    ...headers,
  };
}
