import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TrustedProxies } from '#base/http';
import { writeForwarded } from './forwarded.ts';

/** Headers that apply to a single connection (RFC 9110, 7.6.1), and `expect`, which our own server has already answered. */
const OF_ONE_CONNECTION = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'upgrade',
  'expect',
];
/** `Connection` may list further headers to remove, but never the headers that give a message its length and its host. */
const KEPT = new Set(['content-length', 'transfer-encoding', 'host']);

/** Marks requests that flagmeter has passed on, so that we recognise a loop: UNLEASH_URL may point to flagmeter itself. */
const PASSED = 'x-flagmeter-passed';

export function hasPassedBefore({ headers }: IncomingMessage): boolean {
  return headers[PASSED] !== undefined;
}

/** Prepares the headers of a request to Unleash. */
export function prepareRequestHeaders(request: IncomingMessage, proxies: TrustedProxies | undefined): void {
  const { headers } = request;
  removeConnectionHeaders(headers);
  writeForwarded(request, proxies);
  headers['traceparent'] ??= newTraceparent();
  headers[PASSED] = '1';
}

/** Removes the headers that apply to the connection to Unleash. Our connection to the client stays open if the client allows it. */
export function prepareAnswerHeaders(headers: IncomingHttpHeaders, keepsAlive: boolean): void {
  removeConnectionHeaders(headers);
  headers.connection = keepsAlive ? 'keep-alive' : 'close';
}

function removeConnectionHeaders(headers: IncomingHttpHeaders): void {
  const named = (headers.connection ?? '').toLowerCase().split(',');
  for (const name of [...OF_ONE_CONNECTION, ...named.map((item) => item.trim())]) {
    if (!KEPT.has(name)) Reflect.deleteProperty(headers, name);
  }
}

/**
 * Creates a traceparent without the sampled flag: flagmeter does not trace passed requests, and Unleash decides about sampling. UUIDs are cheaper than
 * random bytes, because Node draws theirs in advance.
 */
function newTraceparent(): string {
  const trace = randomUUID().replaceAll('-', '');
  const span = randomUUID().replaceAll('-', '').slice(0, 16);
  return `00-${trace}-${span}-00`;
}
