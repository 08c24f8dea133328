import { BatchNames, NAME_KINDS, type NameKind, type NameTables } from './batch-names.ts';
import { HashTable } from './hash-table.ts';

/** How many distinct names of each kind, and rows of them, a token may send in an hour. */
export type NameLimits = Readonly<Record<NameKind, number>>;

/**
 * Remembers which names each token sent in the current clock hour, so that the stored data is bounded. It may admit too many
 * names: names are 32-bit hashes, of which two may be equal, and a restart forgets them. If there are more tokens than
 * `maxBytes` can hold, it forgets those that sent nothing for the longest time.
 */
export class DistinctNames {
  readonly #limits: NameLimits;
  readonly #maxBytes: number;
  /** The token that sent nothing for the longest time comes first. */
  readonly #tokens = new Map<string, NamesOfToken>();
  #hour = 0;
  #bytes = 0;

  constructor(limits: NameLimits, maxBytes = 64 * 1024 * 1024) {
    this.#limits = limits;
    this.#maxBytes = maxBytes;
  }

  /** One batch may exceed this limit. */
  get bytes(): number {
    return this.#bytes;
  }

  /** `hour`: whole hours since the epoch. */
  of(tokenId: string, hour: number): BatchNames {
    if (hour !== this.#hour) this.#forgetAll(hour);
    const names = this.#tokens.get(tokenId) ?? this.#create();
    this.#tokens.delete(tokenId);
    this.#forgetSilent();
    this.#tokens.set(tokenId, names);
    return new BatchNames(names.tables);
  }

  /** The largest share of its limit that any token has used in this hour. */
  largestShare(kind: NameKind, hour: number): number {
    if (hour !== this.#hour) this.#forgetAll(hour);
    let largest = 0;
    for (const { tables } of this.#tokens.values()) largest = Math.max(largest, tables[kind].size);
    return largest / this.#limits[kind];
  }

  #forgetAll(hour: number): void {
    this.#hour = hour;
    for (const [tokenId, names] of this.#tokens) this.#forget(tokenId, names);
  }

  #forgetSilent(): void {
    for (const [tokenId, names] of this.#tokens) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#forget(tokenId, names);
    }
  }

  #forget(tokenId: string, names: NamesOfToken): void {
    this.#tokens.delete(tokenId);
    names.isKept = false;
    for (const kind of NAME_KINDS) this.#bytes -= names.tables[kind].bytes;
  }

  #create(): NamesOfToken {
    const names: Pick<NamesOfToken, 'isKept'> = { isKept: true };
    const table = (limit: number): HashTable =>
      new HashTable(limit, (bytes) => {
        if (names.isKept) this.#bytes += bytes;
      });
    return Object.assign(names, { tables: this.#createTables(table) });
  }

  #createTables(table: (limit: number) => HashTable): NameTables {
    const limits = this.#limits;
    return {
      feature: table(limits.feature),
      app: table(limits.app),
      environment: table(limits.environment),
      variant: table(limits.variant),
      row: table(limits.row),
      instance: table(limits.instance),
      strategy: table(limits.strategy),
      project: table(limits.project),
      series: table(limits.series),
      bounds: table(limits.bounds),
    };
  }
}

type NamesOfToken = {
  readonly tables: NameTables;
  /** A batch that takes long may still add names to tables that were forgotten meanwhile. */
  isKept: boolean;
};
