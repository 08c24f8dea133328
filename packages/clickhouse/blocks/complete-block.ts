import { randomUUID } from 'node:crypto';
import type { Block } from '#counting';
import type { ClickHouse } from '../client.ts';
import { insertBlocks, tokenOf } from './insert-blocks.ts';
import { namesOfTargets, readTargetStatus } from './markers.ts';
import { type Session, openSession } from './session.ts';

/** Each kill within an INSERT spoils one token of a target at most, and that takes luck: of 500 kills one or two did. */
const TOKENS = 10;

/**
 * Stores a block whose INSERT may have been sent before. While ClickHouse lives its tokens are enough. One that was killed
 * while it wrote a part may have kept the token without the part, or the part without the token: the markers show
 * which. So stored rows are left out, and rows that are missing although their token was sent go under the next token.
 *
 * Within one life of the server a table keeps both of them or none. All INSERTs below are executed in the life in which
 * the markers were read, or not at all; and whoever completes the same block at the same time goes through the same tokens, each
 * only when the one before is known to be spoilt. So a target is filled by the first token that is not, whoever sends it.
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
    // Where the markers are unclear, the first token decides.
    const storedTargets = attempt === 0 ? stored : [...stored, ...unclear];
    await insertBlocks(db, [block], { storedTargets, token, session });
  }
  // Tables without markers take the same rows as often as you like.
  const withoutTargets = {
    storedTargets: namesOfTargets(block),
    token: `${tokenOf([block])} ${randomUUID()}`,
  };
  await insertBlocks(db, [block], { ...withoutTargets, session });
  return session;
}

function tokensOf(block: Block): string[] {
  const own = tokenOf([block]);
  return Array.from({ length: TOKENS }, (_, index) => (index === 0 ? own : `${own} again ${index}`));
}
