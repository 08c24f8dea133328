import { compileQuery } from '#base/schema';
import type { Caller } from '#base/tokens';
import { commentQuerySchema } from './comment-schema.ts';

type Commented = { readonly comment?: string };

/** For operations that change something at once: their events carry the comment. */
export const COMMENTED = compileQuery<Commented>(commentQuerySchema);

/** The caller of a change, with the comment of its query if the operation takes one. */
export function withComment(caller: Caller, query: unknown): Caller {
  const comment = commentIn(query)?.trim();
  if (caller.request === undefined || comment === undefined || comment === '') return caller;
  return { ...caller, request: { ...caller.request, comment } };
}

function commentIn(query: unknown): string | undefined {
  if (typeof query !== 'object' || query === null || !('comment' in query)) return undefined;
  return typeof query.comment === 'string' ? query.comment : undefined;
}
