import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** Headers that mean one connection only (RFC 9110, 7.6.1), and `expect`, which our own server has answered. */
const OF_ONE_CONNECTION = [
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization'],
  ...['te', 'trailer', 'upgrade', 'expect'],
];
/** `Connection` may name further headers, but never those that say where a message ends and whom it is for. */
const KEPT = new Set(['content-length', 'transfer-encoding', 'host']);

/** Marks what has passed through a flagmeter: UNLEASH_URL may lead back to it. */
const PASSED = 'x-flagmeter-passed';

export function hasPassedBefore({ headers }: IncomingMessage): boolean {
  return headers[PASSED] !== undefined;
}

/**
 * Makes the headers of a request those that Unleash is to get. Unleash limits the rate of addresses by the first in X-Forwarded-For. So
 * what a load balancer wrote there stays, and the address of our own client goes behind it.
 */
export function prepareRequestHeaders({ headers, socket }: IncomingMessage): void {
  removeConnectionHeaders(headers);
  const client = (socket.remoteAddress ?? '').replace(/^::ffff:/i, '');
  const before = headers['x-forwarded-for'];
  headers['x-forwarded-for'] = [before ?? [], client].flat().join(', ');
  headers['x-forwarded-proto'] ??= 'http';
  headers['x-forwarded-host'] ??= headers.host;
  headers['traceparent'] ??= newTraceparent();
  headers[PASSED] = '1';
}

/** Removes what is meant for the connection to Unleash; ours to the client stays open if the client allows it. */
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

/** Not sampled: nothing here records traces, and who samples is for Unleash to say. */
function newTraceparent(): string {
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
}
