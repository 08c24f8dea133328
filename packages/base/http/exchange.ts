import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

/** A request and its answer. Koa's context is one, and so is that of requests that are served without Koa (`serve-directly.ts`). */
export type Exchange = {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  /** The address of the client. */
  readonly ip: string;
  status: number;
  /** Bytes, an object that becomes JSON, or null for none. */
  body: unknown;
  /** False if nobody answers any more. */
  respond?: boolean | undefined;
  /** The template of the path, see `labelsOf`. */
  _matchedRoute?: unknown;
  /** A header of the request; empty if it is absent. */
  get(header: string): string;
  set(headers: Readonly<Record<string, string>>): void;
  set(header: string, value: string): void;
};
