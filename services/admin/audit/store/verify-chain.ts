import type { Pages } from '#postgres';
import { type Link, hashOf } from './chain.ts';

/** What a walk over the entries has found. */
export type Verification = {
  readonly entries: number;
  /** Undefined if there is no entry. */
  readonly last: Pick<Link, 'sequence' | 'at' | 'hash'> | undefined;
  /** The entries up to this one were deleted because of their age, and a later entry says so. Undefined if none was. */
  readonly prunedThrough: number | undefined;
  /** The first thing that is wrong, as a sentence; undefined if the chain is whole. */
  readonly trouble: string | undefined;
};

const FIRST_PREVIOUS = '0'.repeat(64);

/**
 * Walks over entries, the oldest first, and stops at the first one that was changed, or that follows a deleted one. `head` is a hash that
 * was kept outside: if no entry has it, the end was cut off, or the chain was written again.
 */
export async function verifyChain(pages: Pages<Link>, head?: string): Promise<Verification> {
  let entries = 0;
  let first: Link | undefined;
  let last: Link | undefined;
  let isHeadFound = head === undefined;
  let isPruningRecorded = false;
  const found = (trouble: string | undefined): Verification => ({
    ...{ entries, last, trouble },
    prunedThrough: isPruningRecorded && first !== undefined ? first.sequence - 1 : undefined,
  });
  for await (const page of pages)
    for (const link of page) {
      const trouble = troubleOf(link, last);
      if (trouble !== undefined) return found(trouble);
      first ??= link;
      last = link;
      entries += 1;
      isHeadFound ||= link.hash === head || link.previousHash === head;
      isPruningRecorded ||= isPruningBefore(first, link);
    }
  if (first !== undefined && !isPruningRecorded && !isBeginning(first))
    return found(
      `Entry ${first.sequence} is the first one, and no later entry says that those before were pruned.`,
    );
  return found(isHeadFound ? undefined : `No entry has the hash ${head}.`);
}

function troubleOf(link: Link, last: Link | undefined): string | undefined {
  const { sequence } = link;
  if (hashOf(link) !== link.hash) return `Entry ${sequence} was changed: its hash does not fit its content.`;
  if (last === undefined || (sequence === last.sequence + 1 && link.previousHash === last.hash))
    return undefined;
  return sequence === last.sequence + 1
    ? `Entry ${sequence} does not follow entry ${last.sequence}, which was changed.`
    : `Entry ${last.sequence + 1} is missing.`;
}

function isBeginning({ sequence, previousHash }: Link): boolean {
  return sequence === 1 && previousHash === FIRST_PREVIOUS;
}

/** Whether the entry says that those before the first one were pruned. */
function isPruningBefore(first: Link, { content }: Link): boolean {
  const { operation, after } = JSON.parse(content) as {
    operation?: unknown;
    after?: Record<string, unknown>;
  };
  return (
    operation === 'pruneAudit' &&
    after?.['sequence'] === first.sequence - 1 &&
    after['hash'] === first.previousHash
  );
}
