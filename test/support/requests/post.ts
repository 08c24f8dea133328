import type { Batch, Metric } from '#core/counting';
import type { ProblemBody } from '#base/http';
import { aBatch, aMetric } from '../builders/builders.ts';
import { CLIENT_TOKEN } from '../world.ts';

export type Post = {
  readonly method: string;
  readonly path: string;
  /** The whole Authorization header; '' omits it. */
  readonly authorization: string;
  /** '' omits the header. */
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream;
};

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

/** Posts as a relay does; by default an empty batch. */
export async function post(service: { readonly url: string }, parts: Partial<Post> = {}): Promise<Answer> {
  const { method = 'POST', path = '/edge/metrics', body = bodyOf() } = parts;
  const { authorization = CLIENT_TOKEN, contentType = 'application/json' } = parts;
  const headers = new Headers(parts.headers);
  if (authorization !== '') headers.set('authorization', authorization);
  if (contentType !== '') headers.set('content-type', contentType);
  // Bytes, because fetch adds its own content type to a string.
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const sent = method === 'GET' ? {} : { body: bytes, duplex: 'half' as const };
  const answer = await fetch(`${service.url}${path}`, { method, headers, ...sent });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** The body of a batch, as text. */
export function bodyOf(members: Partial<Batch> = {}): string {
  return JSON.stringify(aBatch(members));
}

/** A metric with the time of its receipt. */
export function aFreshMetric(members: Partial<Metric> = {}): Metric {
  return aMetric({ timestamp: null, ...members });
}

/** The error body of an answer. Throws if the answer has none. */
export function problemOf({ status, text }: Answer): ProblemBody {
  if (text === '') throw new Error(`the answer ${status} has no body`);
  return JSON.parse(text) as ProblemBody; // the caller checks the content
}
