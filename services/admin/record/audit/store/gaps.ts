import type { Link } from './chain.ts';

/** The content of an entry, if it is an object. */
export type Content = {
  readonly operation?: unknown;
  readonly outcome?: unknown;
  readonly isStranger?: unknown;
  readonly after?: unknown;
};

/** An end of a chain: the entry with this number has this hash. */
type End = Pick<Link, 'sequence' | 'hash'>;

/** Entries that are missing between two others. Undefined: those before the first one. */
type Gap = { readonly after: End | undefined; readonly before: Link };

const BEGINNING: End = { sequence: 0, hash: '0'.repeat(64) };

/** Learns what was deleted because of its age from the entries that say so, which come later. */
export function createGaps() {
  const beginnings: End[] = [];
  const runs = new Map<string, End>();
  const leadsTo = (from: End, { sequence, previousHash }: Link): boolean => {
    let end: End | undefined = from;
    while (end !== undefined && end.sequence < sequence - 1) end = runs.get(keyOf(end));
    return end !== undefined && end.sequence === sequence - 1 && end.hash === previousHash;
  };
  return {
    learn({ operation, after }: Content): void {
      if (operation === 'pruneAudit' && isEnd(after)) beginnings.push(after);
      if (operation === 'pruneStrangers' && hasRuns(after))
        for (const { first, previousHash, through, hash } of after.runs)
          if (through >= first)
            runs.set(keyOf({ sequence: first - 1, hash: previousHash }), { sequence: through, hash });
    },

    /** How a gap is explained: by the age of the entries, or as the beginning of everything. */
    explain({ after, before }: Gap): 'pruned' | 'beginning' | undefined {
      if (after !== undefined) return leadsTo(after, before) ? 'pruned' : undefined;
      if (leadsTo(BEGINNING, before)) return 'beginning';
      return beginnings.some((beginning) => leadsTo(beginning, before)) ? 'pruned' : undefined;
    },
  };
}

function keyOf({ sequence, hash }: End): string {
  return `${sequence} ${hash}`;
}

function isEnd(value: unknown): value is End {
  return hasMembers(value, { sequence: 'number', hash: 'string' });
}

/** Consecutive entries of strangers, from `first` through another one, with the hash before and the last one. */
type Run = {
  readonly first: number;
  readonly previousHash: string;
  readonly through: number;
  readonly hash: string;
};

function hasRuns(value: unknown): value is { readonly runs: readonly Run[] } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'runs' in value &&
    Array.isArray(value.runs) &&
    value.runs.every((run) =>
      hasMembers(run, { first: 'number', previousHash: 'string', through: 'number', hash: 'string' }),
    )
  );
}

function hasMembers(value: unknown, types: Readonly<Record<string, string>>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map(Object.entries(value));
  return Object.entries(types).every(([name, type]) => typeof members.get(name) === type);
}
