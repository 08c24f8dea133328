import type { HashTable } from './hash-table.ts';

export const NAME_KINDS = [
  'feature',
  'app',
  'environment',
  'variant',
  'row',
  'instance',
  'strategy',
  'project',
  'series',
  'bounds',
] as const;

/**
 * The kind of a name. The name of an instance or project includes the application and its environment. The name of a row, or of a
 * series of an impact metric, includes everything that ClickHouse keeps a sum for. A list of bounds of a histogram takes two names.
 */
export type NameKind = (typeof NAME_KINDS)[number];

/** The names that a token has sent in an hour. */
export type NameTables = Readonly<Record<NameKind, HashTable>>;

/**
 * The new names of one batch, beside those that its token has already sent in this hour. They take room only when they are
 * committed, so that a refused batch takes none. Batches are checked and committed one after the other, so that none sees a
 * half-committed batch.
 */
export class BatchNames {
  readonly #tables: NameTables;
  /** New names in the order of their admission; most batches have none. */
  readonly #added: { readonly kind: NameKind; readonly hash: number }[] = [];
  readonly #hashes: Partial<Record<NameKind, Set<number>>> = {};

  constructor(tables: NameTables) {
    this.#tables = tables;
  }

  /** Whether the token has already sent the name in this hour. */
  knows(kind: NameKind, hash: number): boolean {
    return this.#tables[kind].has(hash);
  }

  /** Whether the token, or this batch, has already sent the name in this hour. */
  isAdmitted(kind: NameKind, hash: number): boolean {
    return this.#tables[kind].has(hash) || this.#hashes[kind]?.has(hash) === true;
  }

  /** Whether the name is known or there is room for it. */
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

  /** Admits all names that `refusalOf` asks for, or none of them if one has to be refused. */
  attempt<Reason>(refusalOf: (names: this) => Reason | undefined): Reason | undefined {
    const savepoint = this.savepoint();
    const reason = refusalOf(this);
    if (reason !== undefined) this.rollBack(savepoint);
    return reason;
  }

  /** A point that `rollBack` returns to. */
  savepoint(): number {
    return this.#added.length;
  }

  /** Forgets the names admitted since a savepoint. */
  rollBack(savepoint: number): void {
    for (const { kind, hash } of this.#added.splice(savepoint)) this.#hashes[kind]?.delete(hash);
  }

  /** Adds the names to those of the hour, where they take room. */
  commit(): void {
    for (const { kind, hash } of this.#added) this.#tables[kind].admit(hash);
    this.rollBack(0);
  }
}
