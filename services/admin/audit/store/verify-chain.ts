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
  /** The first entries whose content is no entry, though their hashes fit: somebody has added them past the rules of the table. */
  readonly unreadable: readonly number[];
};

const MAX_UNREADABLE = 20;

const FIRST_PREVIOUS = '0'.repeat(64);

/** What was kept outside of the entries. */
export type Anchors = {
  /** A hash that was kept outside of the database. If no entry has it, the end was cut off, or the chain was written again. */
  readonly head?: string | undefined;
  /** The number of the last entry that is in the log; 0 if none is. */
  readonly logged?: number;
};

/** Walks over entries, the oldest first, and stops at the first one that was changed, or that follows a deleted one. */
export async function verifyChain(
  pages: Pages<Link>,
  { head, logged = 0 }: Anchors = {},
): Promise<Verification> {
  let entries = 0;
  let first: Link | undefined;
  let last: Link | undefined;
  let isHeadFound = head === undefined;
  let isPruningRecorded = false;
  const unreadable: number[] = [];
  const found = (trouble: string | undefined): Verification => ({
    ...{ entries, last, trouble, unreadable },
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
      const content = contentOf(link);
      if (content === undefined && unreadable.length < MAX_UNREADABLE) unreadable.push(link.sequence);
      isPruningRecorded ||= content !== undefined && isPruningBefore(first, content);
    }
  if (first !== undefined && !isPruningRecorded && !isBeginning(first))
    return found(
      `Entry ${first.sequence} is the first one, and no later entry says that those before were pruned.`,
    );
  if (!isHeadFound) return found(`No entry has the hash ${head}.`);
  return found(
    logged > (last?.sequence ?? 0) ? `The log has entries up to ${logged}, which are missing.` : undefined,
  );
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

type Content = { readonly operation?: unknown; readonly after?: unknown };

/** Undefined if it is no object. */
function contentOf({ content }: Link): Content | undefined {
  const value: unknown = JSON.parse(content);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

/** Whether the entry says that those before the first one were pruned. */
function isPruningBefore(first: Link, { operation, after }: Content): boolean {
  if (operation !== 'pruneAudit' || typeof after !== 'object' || after === null) return false;
  const { sequence, hash } = after as { readonly sequence?: unknown; readonly hash?: unknown };
  return sequence === first.sequence - 1 && hash === first.previousHash;
}
