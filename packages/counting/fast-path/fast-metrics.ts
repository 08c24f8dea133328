import { isExactTime } from '../batch/batch-id.ts';
import type { TakeOptions } from '../batch/take-batch.ts';
import { hourOf } from '../batch/timestamps.ts';
import { MAX_ENVIRONMENT_LENGTH, MAX_NAME_LENGTH } from '../names/names.ts';
import { BRACE_END, COMMA, Literal, UNUSUAL, codeOf } from './byte-cursor.ts';
import type { UsualSums } from './fast-sums.ts';
import { TimeCursor } from './time-cursor.ts';

/**
 * Adds up metrics straight from the bytes of their list, from behind its `[`; gives the place behind its `]`, how many there were
 * and whether one had an exact time. `sums` begins anew.
 *
 * It knows the form in which relays write them: ASCII without escapes or spaces, no member twice, plain integers, UTC
 * timestamps, nothing to refuse. Of anything else it says undefined, and never what is wrong.
 */
export function readUsualMetrics(
  bytes: Uint8Array,
  start: number,
  target: { readonly sums: UsualSums; readonly options: TakeOptions },
): { readonly end: number; readonly count: number; readonly hasExactTime: boolean } | undefined {
  target.sums.begin(bytes);
  try {
    return new MetricsReader(bytes, start, target).readAll();
  } catch (error) {
    if (error === UNUSUAL) return undefined;
    throw error;
  }
}

const BRACKET_END = codeOf(']');
const BRACE = codeOf('{');
const COLON = codeOf(':');

const NULL = new Literal('null');

/** The members that are read. Their first letters tell them apart. */
const FEATURE_NAME = { letter: codeOf('f'), key: new Literal('"featureName":'), bit: 1 } as const;
const APP_NAME = { letter: codeOf('a'), key: new Literal('"appName":'), bit: 2 } as const;
const ENVIRONMENT = { letter: codeOf('e'), key: new Literal('"environment":'), bit: 4 } as const;
const TIMESTAMP = { letter: codeOf('t'), key: new Literal('"timestamp":'), bit: 8 } as const;
const YES = { letter: codeOf('y'), key: new Literal('"yes":'), bit: 16 } as const;
const NO = { letter: codeOf('n'), key: new Literal('"no":'), bit: 32 } as const;
const VARIANTS = { letter: codeOf('v'), key: new Literal('"variants":'), bit: 64 } as const;
const REQUIRED = FEATURE_NAME.bit | APP_NAME.bit | ENVIRONMENT.bit;

class MetricsReader extends TimeCursor {
  readonly #sums: UsualSums;
  readonly #options: TakeOptions;
  /** The metric at hand: the bits of the members that it had, and their values. */
  #members = 0;
  #feature = 0;
  #app = 0;
  #environment = 0;
  #time = 0;
  #hasExactTime = false;
  #yes = 0;
  #no = 0;
  #variantCount = 0;
  readonly #variants: number[] = [];
  readonly #variantCounts: number[] = [];
  /** Where the last environment lies, with its quotes: most metrics repeat it. */
  #environmentStart = 0;
  #environmentLength = 0;

  constructor(
    bytes: Uint8Array,
    start: number,
    { sums, options }: { sums: UsualSums; options: TakeOptions },
  ) {
    super(bytes, start);
    this.#sums = sums;
    this.#options = options;
  }

  readAll(): { end: number; count: number; hasExactTime: boolean } {
    let count = 0;
    if (!this.takes(BRACKET_END)) {
      do {
        this.#readMetric();
        this.#add();
        count += 1;
      } while (this.takes(COMMA));
      this.expect(BRACKET_END);
    }
    return { end: this.at, count, hasExactTime: this.#hasExactTime };
  }

  #add(): void {
    const { receivedAt, limits, allowedEnvironment } = this.#options;
    const time = this.#time;
    if (time < receivedAt - limits.maxAgeMs || time > receivedAt + limits.maxFutureMs) throw UNUSUAL;
    const sums = this.#sums;
    if (allowedEnvironment !== '*' && !sums.isName(this.#environment, allowedEnvironment)) throw UNUSUAL;
    const group = inRoom(sums.groupId(this.#app, this.#environment, hourOf(time)));
    const row = inRoom(sums.rowId(this.#feature, group));
    if (!sums.add(row, this.#yes, this.#no)) throw UNUSUAL;
    for (let i = 0; i < this.#variantCount; i += 1) {
      const count = this.#variantCounts[i] ?? 0;
      if (count > 0 && !sums.addVariant(row, this.#variants[i] ?? 0, count)) throw UNUSUAL;
    }
  }

  #readMetric(): void {
    this.#members = 0;
    this.#time = this.#options.receivedAt;
    this.#yes = 0;
    this.#no = 0;
    this.#variantCount = 0;
    this.expect(BRACE);
    do this.#readMember();
    while (this.takes(COMMA));
    this.expect(BRACE_END);
    if ((this.#members & REQUIRED) !== REQUIRED) throw UNUSUAL;
  }

  #readMember(): void {
    switch (this.bytes[this.at + 1]) {
      case FEATURE_NAME.letter:
        if (this.#begins(FEATURE_NAME)) this.#feature = this.#readName(MAX_NAME_LENGTH);
        break;
      case APP_NAME.letter:
        if (this.#begins(APP_NAME)) this.#app = this.#readName(MAX_NAME_LENGTH);
        break;
      case ENVIRONMENT.letter:
        if (this.#begins(ENVIRONMENT)) this.#environment = this.#readEnvironment();
        break;
      case TIMESTAMP.letter:
        if (this.#begins(TIMESTAMP) && !this.takesAll(NULL)) this.#readTime();
        break;
      case YES.letter:
        if (this.#begins(YES) && !this.takesAll(NULL)) this.#yes = this.readCount();
        break;
      case NO.letter:
        if (this.#begins(NO) && !this.takesAll(NULL)) this.#no = this.readCount();
        break;
      case VARIANTS.letter:
        if (this.#begins(VARIANTS) && !this.takesAll(NULL)) this.#readVariants();
        break;
      default:
        this.#skipMember();
    }
  }

  /** Whether the member is this one, and not there yet. Another one with the same letter is passed over. */
  #begins({ key, bit }: { readonly key: Literal; readonly bit: number }): boolean {
    if (!this.takesAll(key)) {
      this.#skipMember();
      return false;
    }
    if ((this.#members & bit) !== 0) throw UNUSUAL;
    this.#members |= bit;
    return true;
  }

  /** A member that is not read: null, or a text. */
  #skipMember(): void {
    this.readText();
    this.expect(COLON);
    if (!this.takesAll(NULL)) this.readText();
  }

  #readTime(): void {
    this.#time = this.readTimestamp();
    this.#hasExactTime ||= isExactTime(this.#time);
  }

  #readName(maxLength: number): number {
    this.readText();
    const { textHash, textStart, textLength } = this;
    if (textLength === 0 || textLength > maxLength) throw UNUSUAL;
    return inRoom(this.#sums.nameId(textHash, textStart, textLength));
  }

  #readEnvironment(): number {
    if (this.takesAgain(this.#environmentStart, this.#environmentLength)) return this.#environment;
    this.#environmentStart = this.at;
    const id = this.#readName(MAX_ENVIRONMENT_LENGTH);
    this.#environmentLength = this.at - this.#environmentStart;
    return id;
  }

  #readVariants(): void {
    this.expect(BRACE);
    if (this.takes(BRACE_END)) return;
    this.#sums.beginMarking();
    let count = 0;
    do {
      const id = this.#readName(MAX_NAME_LENGTH);
      if (!this.#sums.marks(id)) throw UNUSUAL;
      this.expect(COLON);
      this.#variants[count] = id;
      this.#variantCounts[count] = this.readCount();
      count += 1;
      if (count > this.#options.limits.maxVariants) throw UNUSUAL;
    } while (this.takes(COMMA));
    this.expect(BRACE_END);
    this.#variantCount = count;
  }
}

/** Tables have a bound: what finds no room is for the general way. */
function inRoom(id: number): number {
  if (id < 0) throw UNUSUAL;
  return id;
}
