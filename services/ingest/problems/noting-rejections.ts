import type { Exchange } from '#base/http';
import type { ApiToken } from '#base/tokens';
import type { ProblemReports } from './report-problems.ts';

/** Handles a request. It calls `seen` with each valid token, also one that may not send this body. */
export type NotedHandler = (ctx: Exchange, seen: (token: ApiToken) => ApiToken) => Promise<void>;

/** Notes why the handler rejects a body, with the token of the sender. */
export function notingRejections(
  { noteRejected }: Pick<ProblemReports, 'noteRejected'>,
  handle: NotedHandler,
): (ctx: Exchange) => Promise<void> {
  return async (ctx) => {
    let tokenId: string | undefined;
    try {
      await handle(ctx, (token) => {
        tokenId = token.id;
        return token;
      });
    } catch (error) {
      noteRejected(ctx, tokenId, error);
      throw error;
    }
  };
}
