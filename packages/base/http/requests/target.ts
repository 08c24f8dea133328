import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { unescape } from 'node:querystring';
import { HttpProblem } from '../problems/problems.ts';

/** Nearly all targets, such as `/edge/metrics`: no repeated slash, no segment that begins with a dot, nothing encoded. */
const PLAIN = /^(?=\/)(?:\/[\w\-~!$&'()*+,;=:@][\w\-.~!$&'()*+,;=:@]*)*\/?(?:\?[!-~]*)?$/;
/** Node lets a tab and a form feed pass. */
const CONTROL = /[^!-~\x80-\xff]/;
/** The form for proxies (RFC 9112, 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?#\\@]+)/i;

type RequestTarget = Pick<IncomingMessage, 'url' | 'headers'>;

/**
 * Gives the target of a request its normal form before anything reads it, so that routes, limits and Unleash see the same path
 * (docs/develop/decisions/unleash.md#105-decide-on-one-form-of-a-path). The query stays as it is. Throws a 400 for a target that others may read
 * in another way.
 */
export function normaliseTarget(request: RequestTarget): void {
  const { url = '' } = request;
  if (PLAIN.test(url)) return;
  if (CONTROL.test(url)) throw ambiguous('must not hold control characters');
  const [start = '', host] = ABSOLUTE.exec(url) ?? [];
  // Not the header, because the target of such a request names the host.
  if (host !== undefined) request.headers.host = host;
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url.slice(start.length)) ?? [];
  request.url = normalPath(host !== undefined && path === '' ? '/' : path) + query;
}

const UNRESERVED = /[\w\-.~]/;

/**
 * The normal form of a path (RFC 3986, 6.2.2): unreserved characters are decoded, dot segments removed and repeated slashes
 * merged. Case and a slash at the end stay, and so does an encoded slash, which is part of a name.
 */
export function normalPath(path: string): string {
  if (!path.startsWith('/') || /[\\#]/.test(path))
    throw ambiguous('must begin with a slash, without \\ and #');
  // Node reads each byte as one character.
  const bytes = Buffer.from(path, 'latin1');
  const decoded = bytes.toString('utf8').replace(/%[\da-f]{2}/gi, (octet) => {
    const character = String.fromCharCode(parseInt(octet.slice(1), 16));
    return UNRESERVED.test(character) ? character : octet.toUpperCase();
  });
  if (!isUtf8(bytes) || !isDecodable(decoded)) throw ambiguous('must be UTF-8 with valid percent encodings');
  const normal = mergeSlashes(withoutDots(decoded));
  // Which segment does `..` remove from `/a//../b`?
  if (normal !== withoutDots(mergeSlashes(decoded)))
    throw ambiguous('must not hold an empty segment before dots');
  // This encodes characters that a path may not have.
  return new URL(`http://host${normal}`).pathname;
}

/** Removes dot segments (RFC 3986, 5.2.4). `URL` of Node 20 leaves them behind a segment that begins with a dot: `/a/.b/..`. */
function withoutDots(path: string): string {
  const segments = path.split('/').slice(1);
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isDots = segment === '.' || segment === '..';
    if (segment === '..') kept.pop();
    if (!isDots) kept.push(segment);
    else if (index === segments.length - 1) kept.push('');
  }
  return `/${kept.join('/')}`;
}

/** The number of times that somebody may have encoded a name. */
const MAX_ENCODINGS = 3;
/** Two slashes at the start are a host for some parsers of URLs. */
const SUSPICIOUS = /^\/\/|\p{Cc}|(?:^|\/)\.{1,2}(?=[/?#]|$)/u;

/**
 * How other servers might read a normal path: those that decode it, once or several times, and those for which a backslash is a
 * slash. Throws a 400 if such a reading has a host, dot segments or control characters.
 */
export function readingsOf(path: string): string[] {
  const readings: string[] = [];
  let last = path;
  for (;;) {
    const next = unescape(last).replaceAll('\\', '/');
    if (next === last) return readings;
    if (readings.length === MAX_ENCODINGS || SUSPICIOUS.test(next))
      throw ambiguous('must not encode dots, control characters or its first slash');
    // Some parsers of URLs remove white space at the end.
    readings.push(
      mergeSlashes(next)
        .replace(/[?#].*/s, '')
        .trim(),
    );
    last = next;
  }
}

function mergeSlashes(path: string): string {
  return path.replaceAll(/\/{2,}/g, '/');
}

function isDecodable(path: string): boolean {
  try {
    return decodeURIComponent(path) !== '';
  } catch {
    return false;
  }
}

export function ambiguous(message: string): HttpProblem {
  return new HttpProblem(400, 'The path of the request is ambiguous.', {
    details: [{ path: '', message: `the path ${message}` }],
  });
}
