import { isExactTime } from '../batch/batch-id.ts';
import type { AggregateOptions } from '../aggregate-options.ts';
import { hourOf, MAX_ENVIRONMENT_LENGTH, MAX_NAME_LENGTH } from '#base/schema';
import { BRACE_END, ByteCursor, COMMA, Literal, OTHER_FORM, codeOf } from './byte-cursor.ts';
import {
  APP_NAME,
  ENVIRONMENT,
  FEATURE_NAME,
  NO,
  type Member,
  REQUIRED,
  TIMESTAMP,
  VARIANTS,
  YES,
} from './members.ts';
import type { FastNames } from './fast-names.ts';
import type { FastSums } from './fast-sums.ts';
import { TimeReader } from './time-reader.ts';

/** The result for a list of metrics: the position after its end, their number, and whether one had an exact time. */
export type ReadMetrics = { readonly end: number; readonly count: number; readonly hasExactTime: boolean };

export type FastReading = { readonly sums: FastSums; readonly options: AggregateOptions };

const BRACKET_END = codeOf(']');
const BRACE = codeOf('{');
const COLON = codeOf(':');

const NULL = new Literal('null');

/**
 * Adds up metrics or toggles from the bytes of their list, starting after its first bracket. It clears the sums first.
 *
 * It reads the form that relays and most SDKs write: ASCII without escapes or spaces, no repeated member, plain integers, UTC timestamps,
 * nothing to refuse. It throws OTHER_FORM for any other and does not say why.
 */
export class MetricsReader {
  readonly #cursor: ByteCursor;
  readonly #times: TimeReader;
  readonly #sums: FastSums;
  readonly #names: FastNames;
  readonly #options: AggregateOptions;
  /** The current metric: a bit for each member that was read, and the values. */
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
  /** The position of the last environment, with its quotes: most metrics repeat it. */
  #environmentStart = 0;
  #environmentLength = 0;
  /** The position of the last members that were skipped one after the other: most metrics repeat these too. */
  #skippedStart = 0;
  #skippedEnd = 0;

  constructor(bytes: Uint8Array, start: number, { sums, options }: FastReading) {
    sums.begin(bytes);
    this.#cursor = new ByteCursor(bytes, start);
    this.#times = new TimeReader(this.#cursor);
    this.#sums = sums;
    this.#names = sums.names;
    this.#options = options;
  }

  readAll(): ReadMetrics {
    let count = 0;
    if (!this.#cursor.accept(BRACKET_END)) {
      do {
        this.#readMetric();
        this.#add();
        count += 1;
      } while (this.#cursor.accept(COMMA));
      this.#cursor.expect(BRACKET_END);
    }
    return { end: this.#cursor.at, count, hasExactTime: this.#hasExactTime };
  }

  /** The toggles of an SDK are rows of group 0: the rest of the body says their application, environment and hour. */
  readToggles(): ReadMetrics {
    let count = 0;
    do {
      const feature = this.#readName(MAX_NAME_LENGTH);
      this.#cursor.expect(COLON);
      this.#readMembers();
      const row = inRoom(this.#sums.rowId(feature, 0));
      // Of equal names the last one counts.
      if (this.#sums.reportsOf(row) > 0) throw OTHER_FORM;
      this.#addTo(row);
      count += 1;
    } while (this.#cursor.accept(COMMA));
    this.#cursor.expect(BRACE_END);
    return { end: this.#cursor.at, count, hasExactTime: false };
  }

  #add(): void {
    const { receivedAt, limits, allowedEnvironment } = this.#options;
    const time = this.#time;
    if (time < receivedAt - limits.maxAgeMs || time > receivedAt + limits.maxFutureMs) throw OTHER_FORM;
    const sums = this.#sums;
    if (allowedEnvironment !== '*' && !sums.names.isName(this.#environment, allowedEnvironment))
      throw OTHER_FORM;
    const group = inRoom(sums.groupId(this.#app, this.#environment, hourOf(time)));
    this.#addTo(inRoom(sums.rowId(this.#feature, group)));
  }

  #addTo(row: number): void {
    const sums = this.#sums;
    if (!sums.add(row, this.#yes, this.#no)) throw OTHER_FORM;
    for (let i = 0; i < this.#variantCount; i += 1) {
      const count = this.#variantCounts[i] ?? 0;
      if (count > 0 && !sums.addVariant(row, this.#variants[i] ?? 0, count)) throw OTHER_FORM;
    }
  }

  #readMetric(): void {
    this.#readMembers();
    if ((this.#members & REQUIRED) !== REQUIRED) throw OTHER_FORM;
  }

  #readMembers(): void {
    this.#members = 0;
    this.#time = this.#options.receivedAt;
    this.#yes = 0;
    this.#no = 0;
    this.#variantCount = 0;
    this.#cursor.expect(BRACE);
    do this.#readMember();
    while (this.#cursor.accept(COMMA));
    this.#cursor.expect(BRACE_END);
  }

  #readMember(): void {
    switch (this.#cursor.bytes[this.#cursor.at + 1]) {
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
        if (this.#begins(TIMESTAMP) && !this.#cursor.acceptLiteral(NULL)) this.#readTime();
        break;
      case YES.letter:
        if (this.#begins(YES) && !this.#cursor.acceptLiteral(NULL)) this.#yes = this.#cursor.readCount();
        break;
      case NO.letter:
        if (this.#begins(NO) && !this.#cursor.acceptLiteral(NULL)) this.#no = this.#cursor.readCount();
        break;
      case VARIANTS.letter:
        if (this.#begins(VARIANTS) && !this.#cursor.acceptLiteral(NULL)) this.#readVariants();
        break;
      default:
        this.#skipMember();
    }
  }

  /** Whether this is the expected member and it was not read before. Another member with the same first letter is skipped. */
  #begins({ key, bit }: Member): boolean {
    if (!this.#cursor.acceptLiteral(key)) {
      this.#skipMember();
      return false;
    }
    if ((this.#members & bit) !== 0) throw OTHER_FORM;
    this.#members |= bit;
    return true;
  }

  /** Skips a member that is not read: null or a text. All at once, if they are those of the metric before. */
  #skipMember(): void {
    const start = this.#cursor.at;
    const isNext = start === this.#skippedEnd + 1; // after a comma
    const skipped = this.#skippedEnd - this.#skippedStart;
    if (isNext || !this.#cursor.acceptRepetition(this.#skippedStart, skipped)) {
      this.#cursor.readText();
      this.#cursor.expect(COLON);
      if (!this.#cursor.acceptLiteral(NULL)) this.#cursor.readText();
    }
    if (!isNext) this.#skippedStart = start;
    this.#skippedEnd = this.#cursor.at;
  }

  #readTime(): void {
    this.#time = this.#times.read();
    this.#hasExactTime ||= isExactTime(this.#time);
  }

  #readName(maxLength: number): number {
    this.#cursor.readText();
    const { textHash, textStart, textLength } = this.#cursor;
    if (textLength === 0 || textLength > maxLength) throw OTHER_FORM;
    return inRoom(this.#names.idOf(textHash, textStart, textLength));
  }

  #readEnvironment(): number {
    if (this.#cursor.acceptRepetition(this.#environmentStart, this.#environmentLength))
      return this.#environment;
    this.#environmentStart = this.#cursor.at;
    const id = this.#readName(MAX_ENVIRONMENT_LENGTH);
    this.#environmentLength = this.#cursor.at - this.#environmentStart;
    return id;
  }

  #readVariants(): void {
    this.#cursor.expect(BRACE);
    if (this.#cursor.accept(BRACE_END)) return;
    this.#names.beginMarking();
    let count = 0;
    do {
      const id = this.#readName(MAX_NAME_LENGTH);
      if (!this.#names.mark(id)) throw OTHER_FORM;
      this.#cursor.expect(COLON);
      this.#variants[count] = id;
      this.#variantCounts[count] = this.#cursor.readCount();
      count += 1;
      if (count > this.#options.limits.maxVariants) throw OTHER_FORM;
    } while (this.#cursor.accept(COMMA));
    this.#cursor.expect(BRACE_END);
    this.#variantCount = count;
  }
}

/** The tables are bounded: a batch that does not fit takes the general path. */
function inRoom(id: number): number {
  if (id < 0) throw OTHER_FORM;
  return id;
}
