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
] as const;

/**
 * What a name belongs to. The names of an instance and of a project include the application and its environment; that of
 * a row is everything that ClickHouse keeps a sum for.
 */
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

  /** Whether the token has sent it in this hour already. */
  knows(kind: NameKind, hash: number): boolean {
    return this.#tables[kind].has(hash);
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

  /** Admits all that `refusalOf` asks for, or nothing of it if there is a reason to refuse one. */
  attempt<Reason>(refusalOf: (names: this) => Reason | undefined): Reason | undefined {
    const savepoint = this.savepoint();
    const reason = refusalOf(this);
    if (reason !== undefined) this.rollBack(savepoint);
    return reason;
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
