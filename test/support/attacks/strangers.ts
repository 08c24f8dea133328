import { rawHead } from '../requests/raw-http.ts';
import { CLIENT_TOKEN } from '../world.ts';
import { type Crowd, gatherCrowd } from './crowd.ts';

/** A script of 1.4 MB that anybody may read. */
export const LARGEST_ANSWER = 'GET /docs/openapi/swagger-ui-bundle.js HTTP/1.1\r\nHost: test\r\n\r\n';
export const SMALLEST_ANSWER = 'GET /health HTTP/1.1\r\nHost: test\r\n\r\n';
/** Bytes that are not HTTP, or HTTP that the server does not accept. */
export const BROKEN_REQUESTS = [
  ['words', 'hello\r\n\r\n'],
  ['large headers', `GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`],
  ['CONNECT', 'CONNECT elsewhere:443 HTTP/1.1\r\nHost: test\r\n\r\n'],
  [
    'a broken chunk',
    `POST /edge/metrics HTTP/1.1\r\nHost: test\r\nAuthorization: ${CLIENT_TOKEN}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n`,
  ],
] as const;
const VALIDATE = '/edge/validate';
/** As many secrets as the schema allows in one request. */
const SECRETS = 500;
const PUSHES_AHEAD = 9;

/** 30 connections that pipeline so many requests and read no answer. */
export function readNothing(url: string, from: string, pipelined: number): Promise<Crowd> {
  return gatherCrowd(url, 30, { request: LARGEST_ANSWER.repeat(pipelined), isReading: false, from });
}

/** Connections that stay open after one small answer. */
export function keepConnections(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, { request: SMALLEST_ANSWER, from });
}

/** Requests the largest answer repeatedly, without reading its 1.4 MB. */
export function askForDocumentation(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, { request: LARGEST_ANSWER.replace('GET', 'HEAD'), from });
}

/** Sends invalid HTTP, each time on a new connection. */
export function sendBroken(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, {
    request: (index) => BROKEN_REQUESTS[index % BROKEN_REQUESTS.length]?.[1] ?? '',
    from,
  });
}

/** Requests readiness and metrics. */
export function askForReadiness(url: string, from: string, count: number): Promise<Crowd> {
  const paths = ['/ready', '/internal-backstage/prometheus'];
  return gatherCrowd(url, count, {
    request: (index) => `GET ${paths[index % 2] ?? ''} HTTP/1.1\r\nHost: test\r\n\r\n`,
    from,
  });
}

/** Starts to validate tokens and never finishes the request. */
export function validateSlowly(url: string, from: string, count: number): Promise<Crowd> {
  const head = rawHead(VALIDATE, { 'Content-Type': 'application/json', 'Content-Length': 100 });
  return gatherCrowd(url, count, { request: `${head}{`, from });
}

/** Validates unknown tokens, 500 with each request. */
export function guessSecrets(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, { request: guess, from });
}

/** Sends batches with unknown tokens, several pipelined on each connection. */
export function pushInvented(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, { request: pushesOf(from), from });
}

function pushesOf(from: string): (index: number) => string {
  return (index) =>
    Array.from({ length: PUSHES_AHEAD }, (_, at) => {
      const head = { Authorization: `*:production.${from}-${index}-${at}`, 'Content-Length': 2 };
      return `${rawHead('/edge/metrics', { 'Content-Type': 'application/json', ...head })}{}`;
    }).join('');
}

function guess(index: number): string {
  const tokens = Array.from({ length: SECRETS }, (_, at) => `*:production.guess-${index}-${at}`);
  const body = JSON.stringify({ tokens });
  return rawHead(VALIDATE, { 'Content-Type': 'application/json', 'Content-Length': body.length }) + body;
}
