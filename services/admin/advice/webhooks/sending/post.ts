import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { deadlineSignal } from '#base/runtime';
import { isAllowedAddress } from './addresses.ts';
import { type FindAddresses, ForbiddenAddressError, type Resolved, resolveTarget } from './resolve.ts';
import { type TargetRules, hostOf, problemOfTarget } from './target.ts';

export type PostOptions = TargetRules & {
  readonly find: FindAddresses;
  /** Certificate authorities in PEM, beside none of the public ones; undefined for the public ones. */
  readonly ca?: string | undefined;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
};

export type Post = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** Undefined if the receiver has accepted it; else why it has not, in a few words for people. */
export type Problem = string | undefined;

const TIMEOUT_MS = 10_000;
/** What is read of an answer. Only its status matters, but a receiver wants to write its end. */
const MAX_ANSWER_BYTES = 16 * 1024;

/**
 * Sends one message. It never rejects and takes 10 seconds at most. Redirects are not followed. The name is resolved once, and the
 * connection goes to the address that was checked, so that the name cannot change in between.
 */
export async function post(message: Post, options: PostOptions): Promise<Problem> {
  const { find, timeoutMs = TIMEOUT_MS } = options;
  const problem = problemOfTarget(message.url, options);
  if (problem !== undefined) return problem;
  const { signal, end } = deadlineSignal(timeoutMs, options.signal);
  try {
    const url = new URL(message.url);
    const target = await orAborted(resolveTarget(hostOf(url), find, options), signal);
    return problemOfStatus(await send(message, { url, target, signal, options }));
  } catch (error) {
    return problemOfError(error, signal);
  } finally {
    end();
  }
}

type Sending = {
  readonly url: URL;
  readonly target: Resolved;
  readonly signal: AbortSignal;
  readonly options: PostOptions;
};

/** Returns the status. */
function send({ headers, body }: Post, { url, target, signal, options }: Sending): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
      method: 'POST',
      headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      agent: false, // a connection of its own, which is checked
      lookup: lookupOf(target),
      signal,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
    });
    request.on('socket', (socket: Socket) => {
      socket.once('connect', () => {
        if (!isAllowedAddress(socket.remoteAddress ?? '', options.mayLoopBack))
          request.destroy(new ForbiddenAddressError('the address leads into a private network'));
      });
    });
    let status: number | undefined;
    request.on('error', (error) => {
      if (status === undefined) reject(error);
      else resolve(status); // only the rest of the answer is missing
    });
    request.on('response', (response) => {
      const known = response.statusCode ?? 0;
      status = known;
      readSome(response, () => {
        resolve(known);
        request.destroy();
      });
    });
    request.end(body);
  });
}

/** Node.js asks it for names only; an address in the URL was checked as it is. */
function lookupOf({ address, family }: Resolved): NonNullable<RequestOptions['lookup']> {
  return (_hostname, { all }, callback) => {
    if (all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

/** Ends at the end of the answer, at its limit, or when the connection breaks: the status is known by then. */
function readSome(response: IncomingMessage, onEnd: () => void): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) onEnd();
  });
  response.on('end', onEnd);
  response.on('error', onEnd);
}

function problemOfStatus(status: number): Problem {
  if (status >= 200 && status < 300) return undefined;
  if (status >= 300 && status < 400)
    return `The receiver answered ${status}, and redirects are not followed.`;
  return `The receiver answered ${status}.`;
}

/** Errors of Node.js name addresses, which are nobody's business, so only their codes are shown. */
function problemOfError(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'The receiver did not answer in time.';
  if (error instanceof ForbiddenAddressError) return 'The address leads into a private network.';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code] ?? (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code) ? UNTRUSTED : code);
  return reason === '' ? 'The address cannot be reached.' : `The address cannot be reached: ${reason}.`;
}

const UNTRUSTED = 'its certificate is not trusted';
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** The work itself is not stopped, but has its own deadline. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('aborted'));
    });
  });
  const result = await Promise.race([work, aborted]);
  return result;
}
