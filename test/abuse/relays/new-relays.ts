import { createTokens } from '#base/auth';
import type { Postgres } from '#base/postgres';
import { createSecret } from '#base/tokens';
import { aFreshMetric, bodyOf } from '../../support/requests/post.ts';
import { push } from '../../support/stories/load.ts';

/** Secrets of new client tokens, which no process knows yet. */
export async function createClientTokens(db: Postgres, count: number): Promise<string[]> {
  const secrets = Array.from({ length: count }, () => createSecret([], 'production'));
  for (const secret of secrets)
    await createTokens(db).create({
      secret,
      name: 'relay',
      type: 'client',
      environment: 'production',
      projects: [],
      expiresAt: undefined,
    });
  return secrets;
}

/** Sends a first batch with each token, one after another. Returns the status of each answer, or the error. */
export async function pushFirstBatches(url: string, tokens: readonly string[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const token of tokens) {
    const answer = await push({ url, token, body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
    answers.push(typeof answer === 'string' ? answer : answer.status);
  }
  return answers;
}
