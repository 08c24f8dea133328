import { createTokens } from '#base/auth';
import type { Postgres } from '#base/postgres';
import { aToken } from '../../support/builders/builders.ts';
import { aFreshMetric, bodyOf } from '../../support/requests/post.ts';
import { PATIENCE_MS, push } from '../../support/stories/load.ts';

/** Secrets of new client tokens, which no process knows yet. */
export async function createClientTokens(db: Postgres, count: number): Promise<string[]> {
  const tokens = Array.from({ length: count }, () => aToken());
  for (const token of tokens) await createTokens(db).create(token);
  return tokens.map(({ secret }) => secret);
}

/** Sends a first batch with each token, one after another. Returns the status of each answer, or the error. */
export async function pushFirstBatches(url: string, tokens: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const token of tokens) {
    const body = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });
    const answer = await push({ url, token, body, timeoutMs: PATIENCE_MS });
    answers.push(typeof answer === 'string' ? answer : answer.status);
  }
  return answers;
}
