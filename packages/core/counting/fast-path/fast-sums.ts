import { hashOfGroup, hashOfPair } from '../names/name-hash.ts';
import type { ByteWriter } from '../encoding/byte-writer.ts';
import type { ReadableSums } from '../sums/readable-sums.ts';
import { FastNames, MAX_SLOTS, NONE } from './fast-names.ts';

/** Enough for a body of 100 kB. A larger one takes the general path. */
const MAX_GROUPS = 1024;
const MAX_ROWS = 8192;
const MAX_VARIANTS = 8192;
const GROUP_SLOTS = 2048;

type SharedGroup = { readonly app: string; readonly environment: string; readonly hour: number };

/**
 * The sums of one batch while its bytes are read: open-addressed tables of integers, created once and used again for each body.
 * Maps and objects took twice as long.
 */
export class FastSums implements ReadableSums {
  readonly names = new FastNames();
  /** Always empty: relays say each result. */
  readonly unknown: ReadonlyMap<number, number> = new Map();
  #groupCount = 0;
  /** Triples: app and environment (ids of names), hour since the epoch. */
  readonly #groups = new Int32Array(MAX_GROUPS * 3);
  #rowCount = 0;
  readonly #rowFeatures = new Int32Array(MAX_ROWS);
  readonly #rowGroups = new Int32Array(MAX_ROWS);
  readonly #reports = new Int32Array(MAX_ROWS);
  readonly #yes = new Float64Array(MAX_ROWS);
  readonly #no = new Float64Array(MAX_ROWS);
  /** A linked list of variants for each row: the first variant of the row, and the next variant of each variant. */
  readonly #firstVariants = new Int32Array(MAX_ROWS);
  readonly #nextVariants = new Int32Array(MAX_VARIANTS);
  readonly #variantRows = new Int32Array(MAX_VARIANTS);
  readonly #variantNames = new Int32Array(MAX_VARIANTS);
  readonly #variantCounts = new Float64Array(MAX_VARIANTS);
  #variantCount = 0;

  /** A slot holds the id plus one, because 0 means free. A short body uses, and clears, only the beginning. */
  readonly #groupSlots = new Int32Array(GROUP_SLOTS);
  readonly #rowSlots = new Int32Array(MAX_SLOTS);
  readonly #variantSlots = new Int32Array(MAX_SLOTS);
  #slots = 0;

  begin(bytes: Uint8Array): void {
    this.#slots = Math.min(2 ** (32 - Math.clz32(bytes.length >> 3)), MAX_SLOTS);
    this.names.begin(bytes, this.#slots);
    this.#groupSlots.fill(0);
    this.#rowSlots.fill(0, 0, this.#slots);
    this.#variantSlots.fill(0, 0, this.#slots);
    this.#groupCount = 0;
    this.#rowCount = 0;
    this.#variantCount = 0;
  }

  groupId(app: number, environment: number, hour: number): number {
    const groups = this.#groups;
    const slots = this.#groupSlots;
    const hash = hashOfGroup(app, environment, hour);
    let slot = (hash ^ (hash >>> 15)) & (GROUP_SLOTS - 1);
    for (let id = (slots[slot] ?? 0) - 1; id >= 0; id = (slots[slot] ?? 0) - 1) {
      const at = id * 3;
      if (groups[at] === app && groups[at + 1] === environment && groups[at + 2] === hour) return id;
      slot = (slot + 1) & (GROUP_SLOTS - 1);
    }
    const id = this.#groupCount;
    if (id === MAX_GROUPS) return NONE;
    this.#groupCount += 1;
    groups[id * 3] = app;
    groups[id * 3 + 1] = environment;
    groups[id * 3 + 2] = hour;
    slots[slot] = id + 1;
    return id;
  }

  /** Makes these names and this hour the group of all rows, which were added to group 0. False if there is no room. */
  placeAll({ app, environment, hour }: SharedGroup): boolean {
    const ids = [this.names.idOfText(app), this.names.idOfText(environment)] as const;
    if (Math.min(...ids) < 0) return false;
    return this.groupId(...ids, hour) === 0;
  }

  rowId(feature: number, group: number): number {
    const slots = this.#rowSlots;
    const mask = this.#slots - 1;
    const hash = hashOfPair(feature, group);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let row = (slots[slot] ?? 0) - 1; row >= 0; row = (slots[slot] ?? 0) - 1) {
      if (this.#rowFeatures[row] === feature && this.#rowGroups[row] === group) return row;
      slot = (slot + 1) & mask;
    }
    if (this.#rowCount * 2 >= this.#slots) return NONE;
    const row = this.#rowCount;
    this.#rowCount += 1;
    this.#rowFeatures[row] = feature;
    this.#rowGroups[row] = group;
    this.#reports[row] = 0;
    this.#yes[row] = 0;
    this.#no[row] = 0;
    this.#firstVariants[row] = NONE;
    slots[slot] = row + 1;
    return row;
  }

  /** Adds one metric; false if a sum would exceed 2^53-1. */
  add(row: number, yes: number, no: number): boolean {
    const sumOfYes = (this.#yes[row] ?? 0) + yes;
    const sumOfNo = (this.#no[row] ?? 0) + no;
    if (sumOfYes > Number.MAX_SAFE_INTEGER || sumOfNo > Number.MAX_SAFE_INTEGER) return false;
    this.#reports[row] = (this.#reports[row] ?? 0) + 1;
    this.#yes[row] = sumOfYes;
    this.#no[row] = sumOfNo;
    return true;
  }

  /** False if the sum would exceed 2^53-1 or the list is full. */
  addVariant(row: number, name: number, count: number): boolean {
    const variantNames = this.#variantNames;
    const variantCounts = this.#variantCounts;
    const rows = this.#variantRows;
    const slots = this.#variantSlots;
    const mask = this.#slots - 1;
    const hash = hashOfPair(row, name);
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let at = (slots[slot] ?? 0) - 1; at >= 0; at = (slots[slot] ?? 0) - 1) {
      if (rows[at] === row && variantNames[at] === name) {
        const sum = (variantCounts[at] ?? 0) + count;
        if (sum > Number.MAX_SAFE_INTEGER) return false;
        variantCounts[at] = sum;
        return true;
      }
      slot = (slot + 1) & mask;
    }
    const at = this.#variantCount;
    if (at * 2 >= this.#slots) return false;
    this.#variantCount += 1;
    slots[slot] = at + 1;
    rows[at] = row;
    variantNames[at] = name;
    variantCounts[at] = count;
    this.#nextVariants[at] = this.#firstVariants[row] ?? NONE;
    this.#firstVariants[row] = at;
    return true;
  }

  writeNames(writer: ByteWriter): void {
    this.names.write(writer);
  }

  get groupCount(): number {
    return this.#groupCount;
  }

  appOf(group: number): number {
    return this.#groups[group * 3] ?? 0;
  }

  environmentOf(group: number): number {
    return this.#groups[group * 3 + 1] ?? 0;
  }

  hourOf(group: number): number {
    return this.#groups[group * 3 + 2] ?? 0;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  featureOf(row: number): number {
    return this.#rowFeatures[row] ?? 0;
  }

  groupOf(row: number): number {
    return this.#rowGroups[row] ?? 0;
  }

  reportsOf(row: number): number {
    return this.#reports[row] ?? 0;
  }

  yesOf(row: number): number {
    return this.#yes[row] ?? 0;
  }

  noOf(row: number): number {
    return this.#no[row] ?? 0;
  }

  firstVariantOf(row: number): number {
    return this.#firstVariants[row] ?? NONE;
  }

  nextVariant(variant: number): number {
    return this.#nextVariants[variant] ?? NONE;
  }

  nameOfVariant(variant: number): number {
    return this.#variantNames[variant] ?? 0;
  }

  countOfVariant(variant: number): number {
    return this.#variantCounts[variant] ?? 0;
  }
}
