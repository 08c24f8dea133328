import type { Session } from '../state/session.ts';
import { type Problem, problemOf, problemOfSilence } from './problem.ts';

export type Answer<T> =
  { readonly body: T; readonly problem?: never } | { readonly problem: Problem; readonly body?: never };

/** A caller of the admin API. */
export type Api = {
  /** `path` is relative to the page, because a proxy may serve the console under another path: `api/admin/...`. */
  readonly get: <T>(path: string, signal?: AbortSignal) => Promise<Answer<T>>;
};

/** Longer than the deadlines of the server, whose answer says more. */
const DEADLINE_MS = 12_000;

export function createApi(session: Session): Api {
  return {
    async get<T>(path: string, signal?: AbortSignal): Promise<Answer<T>> {
      const secret = session.token.peek();
      const answer = await send<T>(path, { secret, signal });
      const isStillSignedIn = session.token.peek() === secret;
      if (answer.problem?.status === 401 && isStillSignedIn) session.expire();
      return answer;
    },
  };
}

/** Whether the server accepts a token, before the console keeps it. */
export function tryToken(secret: string): Promise<Answer<unknown>> {
  return send('api/admin/projects', { secret });
}

type Sent = { readonly secret: string | undefined; readonly signal?: AbortSignal | undefined };

async function send<T>(path: string, { secret, signal }: Sent): Promise<Answer<T>> {
  const deadline = AbortSignal.timeout(DEADLINE_MS);
  try {
    const response = await fetch(path, {
      headers: secret === undefined ? {} : { authorization: secret },
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      cache: 'no-store',
      credentials: 'omit',
    });
    const body: unknown =
      response.headers.get('content-type')?.includes('json') === true ? await response.json() : undefined;
    return response.ok ? { body: body as T } : { problem: problemOf(response.status, body) }; // T is the schema of the operation
  } catch {
    return { problem: problemOfSilence(deadline.aborted) };
  }
}
