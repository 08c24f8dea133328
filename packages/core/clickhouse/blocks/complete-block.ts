import { randomUUID } from 'node:crypto';
import type { Block } from '#core/counting';
import type { ClickHouse } from '../client/client.ts';
import { insertBlocks, tokenOf } from './insert-blocks.ts';
import { namesOfTargets, readTargetStatus } from './markers.ts';
import { type Session, openSession } from './insert-session.ts';

/** A kill during an INSERT spoils at most one token of a target, and rarely that: one or two of 500 kills did. */
const TOKENS = 10;
/** It has no markers that would show whether it is stored, so only the first token of a block brings it. */
const EVIDENCE = 'evidence_hourly';

/**
 * Stores a block whose INSERT may already have been sent. While ClickHouse lives, its tokens are enough. If it was killed while
 * it wrote a part, it may have kept the token without the part, or the part without the token. The markers show which parts are
 * stored. So stored rows are left out, and missing rows whose token is spoilt are sent under the next token.
 *
 * Within one life of the server, a table keeps both the part and its token, or neither. Each INSERT below runs in the life in
 * which the markers were read, or not at all. Two workers that complete the same block use the same sequence of tokens, and the
 * next token only when the previous one is spoilt. So the first good token fills a target, regardless of who sends it.
 */
export async function completeBlock(db: ClickHouse, block: Block): Promise<Session> {
  const session = await openSession(db);
  if (session === undefined) {
    await insertBlocks(db, [block]);
    return session;
  }
  for (const [attempt, token] of tokensOf(block).entries()) {
    const { stored, missing, unclear } = await readTargetStatus(db, block);
    if (missing.length === 0 && (attempt > 0 || unclear.length === 0)) break;
    // If the markers are unclear, the first token decides.
    const storedTargets = attempt === 0 ? stored : [...stored, ...unclear, EVIDENCE];
    await insertBlocks(db, [block], { storedTargets, token, session });
  }
  // Tables without markers accept the same rows any number of times.
  const withoutTargets = {
    storedTargets: [...namesOfTargets(block), EVIDENCE],
    token: `${tokenOf([block])} ${randomUUID()}`,
  };
  await insertBlocks(db, [block], { ...withoutTargets, session });
  return session;
}

function tokensOf(block: Block): string[] {
  const own = tokenOf([block]);
  return Array.from({ length: TOKENS }, (_, index) => (index === 0 ? own : `${own} again ${index}`));
}
