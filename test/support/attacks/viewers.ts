import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { type Crowd, gatherCrowd } from './crowd.ts';
import { IN_A_MONTH } from '../times.ts';

export const LONGEST_TEXT = '€'.repeat(10_000);

/** As many lists of feedback as one caller may open, never read. */
export function openLists(url: string, token: string): Promise<Crowd> {
  return gatherCrowd(url, 20, {
    request: `GET /api/admin/feedback HTTP/1.1\r\nHost: test\r\nAuthorization: ${token}\r\n\r\n`,
    isReading: false,
  });
}

/** Creates a token for its user and deletes it. Returns the status of each request. */
export async function makeAndDeleteToken(url: string, token: string): Promise<string[]> {
  const made = await ask(url, token, {
    method: 'POST',
    path: '/api/admin/user/tokens',
    body: { description: `d-${Math.random()}`, expiresAt: IN_A_MONTH },
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

/** Requests that follow one another, so many at the same time, until `stop`. */
export type Greed = {
  /** Resolves when so many requests have an answer. */
  answered(count: number): Promise<void>;
  /** Ends the attack and returns how often each status came. */
  stop(): Promise<Readonly<Record<string, number>>>;
};

/** Reads with one token as much as it can get. `pathOf` gives each request another question. */
export function readGreedily(url: string, token: string, pathOf: (index: number) => string): Greed {
  const attack = { isOver: false, asked: 0, answers: 0, tally: new Map<string, number>() };
  const repeat = async (): Promise<void> => {
    while (!attack.isOver) {
      attack.asked += 1;
      const status = await read(url, token, pathOf(attack.asked));
      attack.answers += 1;
      attack.tally.set(status, (attack.tally.get(status) ?? 0) + 1);
      if (status !== '200') await sleep(REFUSED_PAUSE_MS);
    }
  };
  const reading = Promise.all(Array.from({ length: GREEDY_AT_ONCE }, repeat)); // none rejects
  return {
    async answered(count) {
      await eventually(
        () => Promise.resolve(attack.answers),
        (answers) => answers >= count,
      );
    },
    async stop() {
      attack.isOver = true;
      await reading;
      return Object.fromEntries(attack.tally);
    },
  };
}

const GREEDY_AT_ONCE = 80;
/** Among so many there is always one that asks again within milliseconds. Without a pause they would ask for refusals only. */
const REFUSED_PAUSE_MS = 200;

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
