import type { HashTable } from './hash-table.ts';

export const NAME_KINDS = ['feature', 'app', 'environment', 'variant', 'instance'] as const;

/** What a name belongs to. The name of an instance includes its application. */
export type NameKind = (typeof NAME_KINDS)[number];

/** The names that a token has sent in an hour. */
export type NameTables = Readonly<Record<NameKind, HashTable>>;

/**
 * The names of one batch, beside those that its token has sent in this hour. They take room only when they are committed, so
 * that a batch that is refused takes none. Batches are judged and committed one after the other: none sees half of another.
 */
export class BatchNames {
  readonly #tables: NameTables;
  /** New names in the order of their admission; most batches have none. */
  readonly #added: { readonly kind: NameKind; readonly hash: number }[] = [];
  readonly #hashes: Partial<Record<NameKind, Set<number>>> = {};

  constructor(tables: NameTables) {
    this.#tables = tables;
  }

  /** Whether the name is known or finds room. */
  admit(kind: NameKind, hash: number): boolean {
    const table = this.#tables[kind];
    if (table.has(hash)) return true;
    const added = (this.#hashes[kind] ??= new Set());
    if (added.has(hash)) return true;
    if (table.size + added.size >= table.limit) return false;
    added.add(hash);
    this.#added.push({ kind, hash });
    return true;
  }

  /** Where `rollBack` goes back to. */
  savepoint(): number {
    return this.#added.length;
  }

  /** Forgets what was admitted since a savepoint. */
  rollBack(savepoint: number): void {
    for (const { kind, hash } of this.#added.splice(savepoint)) this.#hashes[kind]?.delete(hash);
  }

  /** Lets the names take their room. */
  commit(): void {
    for (const { kind, hash } of this.#added) this.#tables[kind].admit(hash);
    this.rollBack(0);
  }
}
