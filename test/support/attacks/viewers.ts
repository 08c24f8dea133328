import { type Crowd, gatherCrowd } from './crowd.ts';

export const LONGEST_TEXT = '€'.repeat(10_000);

/** As many lists of feedback as one caller may open, never read. */
export function openLists(url: string, token: string): Promise<Crowd> {
  return gatherCrowd(url, 20, {
    request: `GET /api/admin/feedback HTTP/1.1\r\nHost: test\r\nAuthorization: ${token}\r\n\r\n`,
    isReading: false,
  });
}

/** Creates a token of its own user and deletes it. Returns the status of each request. */
export async function makeAndDeleteToken(url: string, token: string): Promise<string[]> {
  const made = await ask(url, token, {
    method: 'POST',
    path: '/api/admin/user/tokens',
    body: { description: `d-${Math.random()}`, expiresAt: '2099-01-01T00:00:00Z' },
  });
  const { id } = made.body as { id?: string };
  if (id === undefined) return [made.status];
  const deleted = await ask(url, token, { method: 'DELETE', path: `/api/admin/user/tokens/${id}` });
  return [made.status, deleted.status];
}

/** Stores a long text. Returns the status. */
export async function writeLongFeedback(url: string, token: string): Promise<string> {
  const body = { category: 'search', userType: null, difficultyScore: null, positive: LONGEST_TEXT };
  return (await ask(url, token, { method: 'POST', path: '/api/admin/feedback', body })).status;
}

/** Sends an expensive request. Returns the status. */
export async function read(url: string, token: string, path: string): Promise<string> {
  return (await ask(url, token, { method: 'GET', path })).status;
}

type Request = { readonly method: string; readonly path: string; readonly body?: object };

async function ask(
  url: string,
  authorization: string,
  { method, path, body }: Request,
): Promise<{ status: string; body: unknown }> {
  try {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: String(answer.status), body: answer.ok && text !== '' ? JSON.parse(text) : {} };
  } catch {
    return { status: 'none', body: {} };
  }
}
