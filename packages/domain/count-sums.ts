/**
 * Adds up counts of the same feature, app, environment and hour. Names are interned, so that the inner loops
 * compare small integers: joined string keys cost about four times as much. Both sides use it, ingest for one
 * request and the worker for a block.
 */
export class CountSums {
  readonly #nameIds = new Map<string, number>();
  readonly #names: string[] = [];
  readonly #pairIds = new Map<number, number>();
  readonly #groupIds = new Map<number, number>();
  readonly #groups: Group[] = [];
  #rowCount = 0;

  /** Names by the id that `nameId` gave them. */
  get names(): readonly string[] {
    return this.#names;
  }

  /** Groups in the order in which they were first seen, each with its rows. */
  get groups(): readonly Group[] {
    return this.#groups;
  }

  /** Distinct feature, app, environment and hour so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  nameId(name: string): number {
    let id = this.#nameIds.get(name);
    if (id === undefined) {
      id = this.#names.push(name) - 1;
      this.#nameIds.set(name, id);
    }
    return id;
  }

  /** The group of an app, an environment (name ids) and an hour (hours since the epoch). */
  group(appId: number, environmentId: number, hour: number): Group {
    const pair = idOf(this.#pairIds, appId * 2 ** 26 + environmentId);
    const id = idOf(this.#groupIds, pair * 2 ** 26 + hour);
    return (this.#groups[id] ??= { id, appId, environmentId, hour, rows: new Map() });
  }

  row(group: Group, featureId: number): CountRow {
    let row = group.rows.get(featureId);
    if (row === undefined) {
      row = new CountRow();
      group.rows.set(featureId, row);
      this.#rowCount += 1;
    }
    return row;
  }
}

export type Group = {
  readonly id: number;
  readonly appId: number;
  readonly environmentId: number;
  readonly hour: number;
  readonly rows: Map<number, CountRow>;
};

/** Sums of one feature in one group. What would pass 2^53-1 goes on in `spill`, so that no evaluation is rounded away. */
export class CountRow {
  reports = 0;
  yes = 0;
  no = 0;
  /** Count by variant name id. */
  variants: Map<number, number> | undefined;
  spill: CountRow | undefined;

  add(reports: number, yes: number, no: number): void {
    if (this.yes + yes > Number.MAX_SAFE_INTEGER || this.no + no > Number.MAX_SAFE_INTEGER) {
      const full = this.#pushSpill();
      full.reports = this.reports;
      full.yes = this.yes;
      full.no = this.no;
      this.reports = this.yes = this.no = 0;
    }
    this.reports += reports;
    this.yes += yes;
    this.no += no;
  }

  addVariant(variantId: number, count: number): void {
    this.variants ??= new Map();
    const sum = (this.variants.get(variantId) ?? 0) + count;
    if (sum > Number.MAX_SAFE_INTEGER)
      this.#pushSpill().variants = new Map([[variantId, this.variants.get(variantId) ?? 0]]);
    this.variants.set(variantId, sum > Number.MAX_SAFE_INTEGER ? count : sum);
  }

  /** A new row right behind this one takes what is full: the chain may be long, so nothing ever walks it to add. */
  #pushSpill(): CountRow {
    const row = new CountRow();
    row.spill = this.spill;
    this.spill = row;
    return row;
  }
}

function idOf(ids: Map<number, number>, key: number): number {
  let id = ids.get(key);
  if (id === undefined) {
    id = ids.size;
    ids.set(key, id);
  }
  return id;
}
