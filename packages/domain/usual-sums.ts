import type { BatchNames } from './batch-names.ts';

/** Room for what a body of 100 kB can hold; one with more goes the general way. */
const MAX_NAMES = 8192;
const MAX_GROUPS = 1024;
const MAX_ROWS = 8192;
const MAX_VARIANTS = 8192;
/** Twice the room keeps the ways to a free slot short. */
const MAX_SLOTS = 16_384;

/** Stands for what is not there: a name, group or row that finds no room, the end of a list. */
const NONE = -1;

/**
 * Sums of one batch while its bytes are read: open-addressed tables of integers, made once and used for one body after the
 * other. Names do not become strings: they stay places in the bytes. Maps and objects took twice as long.
 */
export class UsualSums {
  bytes: Uint8Array = new Uint8Array();
  nameCount = 0;
  readonly nameStarts = new Int32Array(MAX_NAMES);
  readonly nameLengths = new Int32Array(MAX_NAMES);
  readonly #nameHashes = new Int32Array(MAX_NAMES);
  groupCount = 0;
  /** Triples: app and environment (ids of names), hour since the epoch. */
  readonly groups = new Int32Array(MAX_GROUPS * 3);
  rowCount = 0;
  readonly rowFeatures = new Int32Array(MAX_ROWS);
  readonly rowGroups = new Int32Array(MAX_ROWS);
  readonly reports = new Int32Array(MAX_ROWS);
  readonly yes = new Float64Array(MAX_ROWS);
  readonly no = new Float64Array(MAX_ROWS);
  /** The variants of a row are a list: the first one of each row, and behind each the next one. */
  readonly firstVariants = new Int32Array(MAX_ROWS);
  readonly nextVariants = new Int32Array(MAX_VARIANTS);
  readonly variantNames = new Int32Array(MAX_VARIANTS);
  readonly variantCounts = new Float64Array(MAX_VARIANTS);
  #variantCount = 0;

  /** A slot holds an id and one, so that 0 is free. A short body uses, and clears, the beginning only. */
  readonly #nameSlots = new Int32Array(MAX_SLOTS);
  readonly #rowSlots = new Int32Array(MAX_SLOTS);
  #slots = 0;

  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.#slots = Math.min(2 ** (32 - Math.clz32(bytes.length >> 3)), MAX_SLOTS);
    this.#nameSlots.fill(0, 0, this.#slots);
    this.#rowSlots.fill(0, 0, this.#slots);
    this.nameCount = 0;
    this.groupCount = 0;
    this.rowCount = 0;
    this.#variantCount = 0;
  }

  /** The id of the name that lies at a place of the bytes. */
  nameId(hash: number, start: number, length: number): number {
    const slots = this.#nameSlots;
    const mask = this.#slots - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (let id = (slots[slot] ?? 0) - 1; id >= 0; id = (slots[slot] ?? 0) - 1) {
      if (this.nameLengths[id] === length && this.#isEqual(this.nameStarts[id] ?? 0, start, length))
        return id;
      slot = (slot + 1) & mask;
    }
    if (this.nameCount * 2 >= this.#slots) return NONE;
    const id = this.nameCount;
    this.nameCount += 1;
    this.nameStarts[id] = start;
    this.nameLengths[id] = length;
    this.#nameHashes[id] = hash;
    slots[slot] = id + 1;
    return id;
  }

  isName(id: number, name: string): boolean {
    const start = this.nameStarts[id] ?? 0;
    const length = this.nameLengths[id] ?? 0;
    if (length !== name.length) return false;
    for (let i = 0; i < length; i += 1) if (this.bytes[start + i] !== name.charCodeAt(i)) return false;
    return true;
  }

  /** Apps and hours of a batch are few, and the last ones the likeliest. */
  groupId(app: number, environment: number, hour: number): number {
    const { groups } = this;
    for (let id = this.groupCount - 1; id >= 0; id -= 1) {
      const at = id * 3;
      if (groups[at] === app && groups[at + 1] === environment && groups[at + 2] === hour) return id;
    }
    if (this.groupCount === MAX_GROUPS) return NONE;
    groups.set([app, environment, hour], this.groupCount * 3);
    this.groupCount += 1;
    return this.groupCount - 1;
  }

  rowId(feature: number, group: number): number {
    const slots = this.#rowSlots;
    const mask = this.#slots - 1;
    let slot = (Math.imul(feature * MAX_GROUPS + group, 0x9e37_79b1) >>> 16) & mask;
    for (let row = (slots[slot] ?? 0) - 1; row >= 0; row = (slots[slot] ?? 0) - 1) {
      if (this.rowFeatures[row] === feature && this.rowGroups[row] === group) return row;
      slot = (slot + 1) & mask;
    }
    if (this.rowCount * 2 >= this.#slots) return NONE;
    const row = this.rowCount;
    this.rowCount += 1;
    this.rowFeatures[row] = feature;
    this.rowGroups[row] = group;
    this.reports[row] = 0;
    this.yes[row] = 0;
    this.no[row] = 0;
    this.firstVariants[row] = NONE;
    slots[slot] = row + 1;
    return row;
  }

  /** Adds one metric; false if a sum would pass 2^53-1. */
  add(row: number, yes: number, no: number): boolean {
    const sumOfYes = (this.yes[row] ?? 0) + yes;
    const sumOfNo = (this.no[row] ?? 0) + no;
    if (sumOfYes > Number.MAX_SAFE_INTEGER || sumOfNo > Number.MAX_SAFE_INTEGER) return false;
    this.reports[row] = (this.reports[row] ?? 0) + 1;
    this.yes[row] = sumOfYes;
    this.no[row] = sumOfNo;
    return true;
  }

  /** False if the sum would pass 2^53-1, or the list finds no room. */
  addVariant(row: number, name: number, count: number): boolean {
    const { nextVariants, variantNames, variantCounts } = this;
    const first = this.firstVariants[row] ?? NONE;
    for (let at = first; at !== NONE; at = nextVariants[at] ?? NONE) {
      if (variantNames[at] !== name) continue;
      const sum = (variantCounts[at] ?? 0) + count;
      if (sum > Number.MAX_SAFE_INTEGER) return false;
      variantCounts[at] = sum;
      return true;
    }
    const at = this.#variantCount;
    if (at === MAX_VARIANTS) return false;
    this.#variantCount += 1;
    variantNames[at] = name;
    variantCounts[at] = count;
    nextVariants[at] = first;
    this.firstVariants[row] = at;
    return true;
  }

  /** Whether a token may send all these names; if not, none is admitted. */
  areAdmitted(names: BatchNames): boolean {
    const savepoint = names.savepoint();
    if (this.#admitAll(names)) return true;
    names.rollBack(savepoint);
    return false;
  }

  #admitAll(names: BatchNames): boolean {
    const { groups, rowFeatures, variantNames } = this;
    const hashes = this.#nameHashes;
    for (let at = 0; at < this.groupCount * 3; at += 3) {
      if (!names.admit('app', hashes[groups[at] ?? 0] ?? 0)) return false;
      if (!names.admit('environment', hashes[groups[at + 1] ?? 0] ?? 0)) return false;
    }
    for (let row = 0; row < this.rowCount; row += 1) {
      if (!names.admit('feature', hashes[rowFeatures[row] ?? 0] ?? 0)) return false;
    }
    for (let at = 0; at < this.#variantCount; at += 1) {
      if (!names.admit('variant', hashes[variantNames[at] ?? 0] ?? 0)) return false;
    }
    return true;
  }

  #isEqual(a: number, b: number, length: number): boolean {
    const { bytes } = this;
    for (let i = 0; i < length; i += 1) if (bytes[a + i] !== bytes[b + i]) return false;
    return true;
  }
}
