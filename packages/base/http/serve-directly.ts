import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AppOptions, answerError } from './app.ts';
import { BROWSER_HEADERS } from './browser-headers.ts';
import type { Exchange } from './exchange.ts';
import { checkHead } from './requests/check-head.ts';
import { discardRest } from './requests/discard-rest.ts';
import { addressesOf } from './addresses/trusted-proxies.ts';

/** Handlers of POST by the exact target of the request. */
export type DirectHandlers = ReadonlyMap<string, (exchange: Exchange) => Promise<void>>;

/** Returns undefined for a request that it does not serve. */
export type Direct = (request: IncomingMessage, response: ServerResponse) => Promise<void> | undefined;

/**
 * Serves nearly all requests of relays and SDKs without Koa, which took a fourteenth of the time of a body of 10 rows
 * (docs/develop/decisions/core/receiving.md, 258). Answers are those of the app, which also serves other spellings of these targets.
 */
export function serveDirectly(handlers: DirectHandlers, options: AppOptions): Direct {
  return (request, response) => {
    const handle = request.method === 'POST' ? handlers.get(request.url ?? '') : undefined;
    return handle && answer(new DirectExchange(request, response, options), handle, options);
  };
}

async function answer(
  exchange: DirectExchange,
  handle: (exchange: Exchange) => Promise<void>,
  { log, isStopping }: AppOptions,
): Promise<void> {
  const { req, res } = exchange;
  if (isStopping()) res.shouldKeepAlive = false;
  try {
    checkHead(req);
    await handle(exchange);
  } catch (error) {
    answerError(exchange, error, log);
  }
  if (isStopping()) res.shouldKeepAlive = false;
  discardRest(req);
  exchange.end();
}

class DirectExchange implements Exchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly #options: AppOptions;
  /** They go into the answer at once: each call of `setHeader` costs as much as all of them then. */
  readonly #headers: Record<string, string | number> = { ...BROWSER_HEADERS };
  readonly method = 'POST';
  readonly _matchedRoute: string;
  status = 404;
  body: unknown = null;
  respond = true;

  constructor(req: IncomingMessage, res: ServerResponse, options: AppOptions) {
    this.req = req;
    this.res = res;
    this.#options = options;
    this._matchedRoute = req.url ?? '';
  }

  get headers() {
    return this.req.headers;
  }

  get ip(): string {
    return this.#options.proxies === undefined
      ? (this.req.socket.remoteAddress ?? '')
      : addressesOf(this.req, this.#options.proxies)[0];
  }

  get(header: string): string {
    const value = this.headers[header.toLowerCase()] ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  }

  set(headers: Readonly<Record<string, string>> | string, value = ''): void {
    if (typeof headers === 'string') this.#headers[headers] = value;
    else Object.assign(this.#headers, headers);
  }

  /** Sends the answer, unless the client has left or nobody answers. */
  end(): void {
    const { res, body } = this;
    if (!this.respond || res.socket?.writable !== true) return;
    const bytes = bytesOf(body);
    if (bytes !== undefined) this.#headers['Content-Type'] ??= 'application/json; charset=utf-8';
    this.#headers['Content-Length'] = bytes?.length ?? 0;
    res.writeHead(this.status, this.#headers);
    res.end(bytes);
  }
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === null) return undefined;
  return body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
}
