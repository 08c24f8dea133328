import type { Pages } from '#base/postgres';
import { type Link, hashOf } from './chain.ts';
import { type Content, createGaps } from './gaps.ts';

/** What a walk over the entries has found. */
export type Verification = {
  readonly entries: number;
  /** Undefined if there is no entry. */
  readonly last: Pick<Link, 'sequence' | 'at' | 'hash'> | undefined;
  /** The last one that stays for long: no entry of a stranger. */
  readonly head: Pick<Link, 'sequence' | 'hash'> | undefined;
  /** The entries up to this one were deleted because of their age, and a later entry says so. Undefined if none was. */
  readonly prunedThrough: number | undefined;
  /** The first thing that is wrong, as a sentence; undefined if the chain is whole. */
  readonly trouble: string | undefined;
  /** The first entries whose content is no entry, though their hashes fit: somebody has added them past the rules of the table. */
  readonly unreadable: readonly number[];
};

const MAX_UNREADABLE = 20;

/** What was kept outside of the entries. */
export type Anchors = {
  /** A hash that was kept outside of the database. If no entry has it, the end was cut off, or the chain was written again. */
  readonly head?: string | undefined;
  /** The number of the last entry that is in the log; 0 if none is. */
  readonly logged?: number;
};

type Missing = { readonly after: Link; readonly before: Link; readonly entries: number };

/**
 * Walks over entries, the oldest first, and stops at the first one that was changed. Entries that are missing need a later entry which
 * says that they were deleted because of their age.
 */
export async function verifyChain(
  pages: Pages<Link>,
  { head: kept, logged = 0 }: Anchors = {},
): Promise<Verification> {
  const gaps = createGaps();
  const missing: Missing[] = [];
  const unreadable: number[] = [];
  let entries = 0;
  let first: Link | undefined;
  let last: Link | undefined;
  let head: Link | undefined;
  let isKeptFound = kept === undefined;
  const found = (trouble: string | undefined, before = entries): Verification => ({
    entries: before,
    last,
    head,
    trouble,
    unreadable,
    prunedThrough:
      first !== undefined && gaps.explain({ after: undefined, before: first }) === 'pruned'
        ? first.sequence - 1
        : undefined,
  });
  for await (const page of pages)
    for (const link of page) {
      const trouble = troubleOf(link, last);
      if (trouble !== undefined) return found(trouble);
      if (last !== undefined && link.sequence !== last.sequence + 1)
        missing.push({ after: last, before: link, entries });
      first ??= link;
      last = link;
      entries += 1;
      isKeptFound ||= link.hash === kept || link.previousHash === kept;
      const content = contentOf(link);
      if (content === undefined) {
        if (unreadable.length < MAX_UNREADABLE) unreadable.push(link.sequence);
      } else gaps.learn(content);
      if (content?.isStranger !== true || content.outcome === 'done') head = link;
    }
  const unexplained = missing.find((gap) => gaps.explain(gap) === undefined);
  if (unexplained !== undefined)
    return found(`Entry ${unexplained.after.sequence + 1} is missing.`, unexplained.entries);
  if (first !== undefined && gaps.explain({ after: undefined, before: first }) === undefined)
    return found(
      `Entry ${first.sequence} is the first one, and no later entry says that those before were pruned.`,
    );
  if (!isKeptFound) return found(`No entry has the hash ${kept}.`);
  return found(
    logged > (last?.sequence ?? 0) ? `The log has entries up to ${logged}, which are missing.` : undefined,
  );
}

function troubleOf(link: Link, last: Link | undefined): string | undefined {
  const { sequence } = link;
  if (hashOf(link) !== link.hash) return `Entry ${sequence} was changed: its hash does not fit its content.`;
  return last !== undefined && sequence === last.sequence + 1 && link.previousHash !== last.hash
    ? `Entry ${sequence} does not follow entry ${last.sequence}, which was changed.`
    : undefined;
}

/** Undefined if it is no object. */
function contentOf({ content }: Link): Content | undefined {
  const value: unknown = JSON.parse(content);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
