import { CALLER, type Path } from '../../state/paths/path.ts';
import type { Caller, Change } from '../../types.ts';
import type { Session } from '../../state/app/session.ts';
import { type Problem, problemOf, problemOfSession, problemOfSilence, problemOfStep } from './problem.ts';

export type Answer<T> =
  | { readonly body: T; readonly etag?: string | undefined; readonly problem?: never }
  | { readonly problem: Problem; readonly body?: never };

/** A caller of the admin API. */
export type Api = {
  readonly get: <T>(path: Path, signal?: AbortSignal) => Promise<Answer<T>>;
  readonly send: <T>(change: Change) => Promise<Answer<T>>;
};

/** Longer than the deadlines of the server, whose answer says more. */
export const DEADLINE_MS = 12_000;

export function createApi(session: Session): Api {
  const call = async <T>(request: Request): Promise<Answer<T>> => {
    const credential = session.credential.peek();
    if (credential === undefined) return { problem: problemOfSession() };
    const answer = await ask<T>(request, session.headers());
    const isStillSignedIn = session.credential.peek() === credential;
    if (answer.problem?.status === 401 && isStillSignedIn) session.expire();
    return answer;
  };
  return {
    get: (path, signal) => call({ method: 'GET', path, signal }),
    send: (change) => call(change),
  };
}

/** Who would be signed in by a token, or by the session of this browser, before the console uses it. */
export function tryCredential(secret: string | undefined): Promise<Answer<Caller>> {
  const headers: Record<string, string> = secret === undefined ? {} : { authorization: secret };
  return ask({ method: 'GET', path: CALLER }, headers);
}

type Request =
  | Change
  | { readonly method: 'GET'; readonly path: Path; readonly signal?: AbortSignal | undefined };

async function ask<T>(request: Request, headers: Record<string, string>): Promise<Answer<T>> {
  const { step } = request.path;
  if (step !== undefined) return { problem: problemOfStep(step) };
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  const signal = request.method === 'GET' ? request.signal : undefined;
  try {
    const response = await fetch(request.path.text, {
      ...contentOf(request, headers),
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      cache: 'no-store',
      credentials: 'authorization' in headers ? 'omit' : 'same-origin',
    });
    const body: unknown =
      response.headers.get('content-type')?.includes('json') === true ? await response.json() : undefined;
    if (!response.ok) return { problem: problemOf(response.status, body) };
    return { body: body as T, etag: response.headers.get('etag') ?? undefined }; // T is the schema of the operation
  } catch {
    return { problem: problemOfSilence(deadline.aborted) };
  }
}

function contentOf(request: Request, identifying: Record<string, string>): RequestInit {
  const { method } = request;
  const headers = new Headers(identifying);
  if (method === 'GET') return { method, headers };
  if (request.ifMatch !== undefined) headers.set('if-match', request.ifMatch);
  if (request.body === undefined) return { method, headers };
  headers.set('content-type', 'application/json');
  return { method, headers, body: JSON.stringify(request.body) };
}
