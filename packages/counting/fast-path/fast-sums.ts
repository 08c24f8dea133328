import { hashOfGroup, hashOfPair } from '../names/name-hash.ts';
import type { ByteWriter } from '../message/byte-writer.ts';
import type { ReadableSums } from '../message/readable-sums.ts';
import { COMMA, QUOTE, codeOf } from './byte-cursor.ts';

const BRACKET = codeOf('[');
const BRACKET_END = codeOf(']');

/** Enough for a body of 100 kB. A larger one takes the general path. */
const MAX_NAMES = 8192;
const MAX_GROUPS = 1024;
const MAX_ROWS = 8192;
const MAX_VARIANTS = 8192;
/** The tables are twice as large as needed, which keeps searches short. */
const MAX_SLOTS = 16_384;
const GROUP_SLOTS = 2048;

/** Means none: no room for a name, group or row, or the end of a list. */
const NONE = -1;

/**
 * The sums of one batch while its bytes are read: open-addressed tables of integers, created once and used again for each body.
 * Names do not become strings but stay positions in the bytes. Maps and objects took twice as long.
 */
export class FastSums implements ReadableSums {
  #bytes: Uint8Array = new Uint8Array();
  #nameCount = 0;
  readonly #nameStarts = new Int32Array(MAX_NAMES);
  readonly #nameLengths = new Int32Array(MAX_NAMES);
  readonly #nameHashes = new Int32Array(MAX_NAMES);
  readonly #nameMarks = new Int32Array(MAX_NAMES);
  #mark = 0;
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
  readonly #nameSlots = new Int32Array(MAX_SLOTS);
  readonly #groupSlots = new Int32Array(GROUP_SLOTS);
  readonly #rowSlots = new Int32Array(MAX_SLOTS);
  readonly #variantSlots = new Int32Array(MAX_SLOTS);
  #slots = 0;

  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#slots = Math.min(2 ** (32 - Math.clz32(bytes.length >> 3)), MAX_SLOTS);
    this.#nameSlots.fill(0, 0, this.#slots);
    this.#groupSlots.fill(0);
    this.#rowSlots.fill(0, 0, this.#slots);
    this.#variantSlots.fill(0, 0, this.#slots);
    this.#nameCount = 0;
    this.#groupCount = 0;
    this.#rowCount = 0;
    this.#variantCount = 0;
    this.#mark = 0;
  }

  /** The id of the name at a position of the bytes. */
  nameId(hash: number, start: number, length: number): number {
    const slots = this.#nameSlots;
    const mask = this.#slots - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let id = (slots[slot] ?? 0) - 1; id >= 0; id = (slots[slot] ?? 0) - 1) {
      if (this.#nameLengths[id] === length && this.#isEqual(this.#nameStarts[id] ?? 0, start, length))
        return id;
      slot = (slot + 1) & mask;
    }
    if (this.#nameCount * 2 >= this.#slots) return NONE;
    const id = this.#nameCount;
    this.#nameCount += 1;
    this.#nameStarts[id] = start;
    this.#nameLengths[id] = length;
    this.#nameHashes[id] = hash;
    this.#nameMarks[id] = 0;
    slots[slot] = id + 1;
    return id;
  }

  /** Removes the marks of names. */
  beginMarking(): void {
    this.#mark += 1;
  }

  /** Marks a name; false if it is already marked. */
  mark(id: number): boolean {
    if (this.#nameMarks[id] === this.#mark) return false;
    this.#nameMarks[id] = this.#mark;
    return true;
  }

  isName(id: number, name: string): boolean {
    const start = this.#nameStarts[id] ?? 0;
    const length = this.#nameLengths[id] ?? 0;
    if (length !== name.length) return false;
    for (let i = 0; i < length; i += 1) if (this.#bytes[start + i] !== name.charCodeAt(i)) return false;
    return true;
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

  /** These names need no escapes in JSON: they contain no quote and no backslash. */
  writeNames(writer: ByteWriter): void {
    writer.byte(BRACKET);
    for (let id = 0; id < this.#nameCount; id += 1) {
      if (id > 0) writer.byte(COMMA);
      writer.byte(QUOTE);
      writer.copy(this.#bytes, this.#nameStarts[id] ?? 0, this.#nameLengths[id] ?? 0);
      writer.byte(QUOTE);
    }
    writer.byte(BRACKET_END);
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

  /** The hash with which `nameId` was called. */
  hashOfName(id: number): number {
    return this.#nameHashes[id] ?? 0;
  }

  #isEqual(a: number, b: number, length: number): boolean {
    const bytes = this.#bytes;
    for (let i = 0; i < length; i += 1) if (bytes[a + i] !== bytes[b + i]) return false;
    return true;
  }
}
