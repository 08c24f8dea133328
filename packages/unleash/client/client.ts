import { deadlineSignal, readBounded } from '#base/runtime';
import { type Turns, createTurns } from './turns.ts';
import { UnleashError } from './unleash-error.ts';

export type UnleashRequest = {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** Begins with a slash. The path prefix of UNLEASH_URL is added before it. */
  readonly path: string;
  /** Sent in the Authorization header, and nowhere else. */
  readonly secret?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The deadline for everything: the wait for a turn, the connection and the whole answer. */
  readonly timeoutMs: number;
  /** Aborts the request earlier. */
  readonly signal?: AbortSignal;
  /** A longer answer, after decompression, is an error. */
  readonly maxBytes?: number;
};

export type UnleashAnswer = {
  /** Any status. The caller decides which ones are a success (`expectStatus`). */
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
};

export type Unleash = {
  /**
   * Rejects with an UnleashError if there is no complete answer. It follows no redirects, because they may send a secret
   * elsewhere.
   */
  call(request: UnleashRequest): Promise<UnleashAnswer>;
};

export type UnleashOptions = {
  /** The value of UNLEASH_URL, with or without a slash at its end. */
  readonly url: string;
  /** How many requests we send at the same time; others wait for their turn. */
  readonly atOnce?: number;
};

const AT_ONCE = 4;
const MAX_WAITING = 1000;
const MAX_BYTES = 1024 * 1024;

/** A client for Unleash's API. The process shares and keeps its connections, so it needs no closing. */
export function createUnleash({ url, atOnce = AT_ONCE }: UnleashOptions): Unleash {
  const base = url.replace(/\/+$/, '');
  const turns = createTurns({ atOnce, maxWaiting: MAX_WAITING });
  return { call: (request) => takeTurn(turns, base, request) };
}

async function takeTurn(turns: Turns, base: string, request: UnleashRequest): Promise<UnleashAnswer> {
  const deadline = deadlineSignal(request.timeoutMs, request.signal);
  try {
    const endTurn = await turns.take(deadline.signal);
    if (endTurn === undefined)
      throw new UnleashError('unleash-busy', 'Too many requests to Unleash are waiting.');
    try {
      return await send(base, request, deadline.signal);
    } finally {
      endTurn();
    }
  } finally {
    deadline.end();
  }
}

async function send(base: string, request: UnleashRequest, signal: AbortSignal): Promise<UnleashAnswer> {
  const { method = 'GET', path, maxBytes = MAX_BYTES } = request;
  const target = new URL(`${base}${path}`);
  // A name such as `..` would lead to another path.
  if (!target.href.endsWith(path))
    throw new UnleashError('unleash-answer', `A name in the path ${path} cannot be part of a path.`);
  try {
    const response = await fetch(target, {
      method,
      headers: headersOf(request),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      redirect: 'manual',
      signal,
    });
    const body = await readBody(response, maxBytes);
    return { status: response.status, headers: response.headers, body };
  } catch (error) {
    if (error instanceof UnleashError) throw error;
    throw new UnleashError('unleash-unreached', `Unleash did not answer ${method} ${path}.`, {
      cause: error,
    });
  }
}

function headersOf({ secret, body, headers }: UnleashRequest): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'flagmeter',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(secret === undefined ? {} : { authorization: secret }),
    ...headers,
  };
}

async function readBody({ body }: Response, maxBytes: number): Promise<Buffer> {
  const parts: AsyncIterable<Uint8Array> | null = body;
  if (parts === null) return Buffer.alloc(0);
  const tooLong = () => new UnleashError('unleash-answer', `Unleash answered more than ${maxBytes} bytes.`);
  return readBounded(parts, maxBytes, tooLong);
}
