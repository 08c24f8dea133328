import { ByteCursor, Literal, type StepLength } from '#core/counting';
import { timeOf } from '../json/fields.ts';
import type { CutList } from './cut-lists.ts';
import { OTHER_FORM, type PointCounts } from './point-counts.ts';

const ATTRIBUTES = new Literal('"attributes":');
const START = new Literal('"startTimeUnixNano":');
const TIME = new Literal('"timeUnixNano":');
const WHOLE = new Literal('"asInt":');
const DOUBLE = new Literal('"asDouble":');
const NO_FLAGS = new Literal('"flags":0');
const [COMMA = 0, QUOTE = 0, BRACE_END = 0] = Buffer.from(',"}');

/** A time that was read: its text, with its quotes, and epoch milliseconds. */
type TimeText = { start: number; length: number; ms: number };

/**
 * Reads the points of delta counters in JSON: members without spaces, each once, with whole numbers of at most 15 digits. Throws OTHER_FORM
 * for a point in another form.
 */
export class JsonPointReader {
  readonly #cursor: ByteCursor;
  readonly #points: PointCounts;
  readonly #length: StepLength;
  readonly #startTime: TimeText = { start: 0, length: 0, ms: 0 };
  readonly #time: TimeText = { start: 0, length: 0, ms: 0 };

  constructor(body: Uint8Array, points: PointCounts, length: StepLength) {
    this.#cursor = new ByteCursor(body, 0);
    this.#points = points;
    this.#length = length;
  }

  /** Reads the points of a list from one on, until a step is done. Returns which one is the next. */
  read({ start, end, places }: CutList, first: number): number {
    let at = first;
    while (at < places.length) {
      // Nothing but a comma stands between two points.
      const from = at === 0 ? start : this.#afterComma(places[at - 1] ?? 0);
      if (places[at] !== from + 1) throw OTHER_FORM;
      this.#readPoint(places, at);
      if (at + 4 === places.length && this.#cursor.at + 1 !== end) throw OTHER_FORM;
      at += 4;
      if (this.#length.isDone(this.#points.cost)) break;
    }
    return at;
  }

  /** The beginning of the next point, by the end of the members of the one before. */
  #afterComma(end: number): number {
    this.#cursor.at = end + 1;
    this.#cursor.expect(COMMA);
    return this.#cursor.at;
  }

  #readPoint(places: readonly number[], place: number): void {
    const cursor = this.#cursor;
    const [list = -1, endOfList = 0] = [places[place + 1], places[place + 2]];
    cursor.at = places[place] ?? 0;
    let members = 0;
    let [value, startMs, timeMs] = [NaN, 0, 0];
    do {
      let member = 1;
      if (cursor.acceptLiteral(ATTRIBUTES)) {
        if (cursor.at !== list) throw OTHER_FORM;
        cursor.at = endOfList;
      } else if (cursor.acceptLiteral(START)) {
        startMs = this.#readTime(this.#startTime);
        member = 2;
      } else if (cursor.acceptLiteral(TIME)) {
        timeMs = this.#readTime(this.#time);
        member = 4;
      } else if (cursor.acceptLiteral(WHOLE)) {
        value = this.#readWhole();
        member = 8;
      } else if (cursor.acceptLiteral(DOUBLE)) {
        value = cursor.readDigits();
        member = 8;
      } else if (cursor.acceptLiteral(NO_FLAGS)) member = 16;
      else throw OTHER_FORM;
      if ((members & member) !== 0) throw OTHER_FORM;
      members |= member;
    } while (cursor.accept(COMMA));
    // It has attributes and a value, which is the last one if it may be of two types.
    if (cursor.at !== places[place + 3] || (members & 9) !== 9) throw OTHER_FORM;
    if (cursor.bytes[cursor.at] !== BRACE_END) throw OTHER_FORM;
    this.#points.setTimes(timeMs, startMs);
    this.#points.add(list, endOfList, value);
  }

  #readWhole(): number {
    const cursor = this.#cursor;
    if (!cursor.accept(QUOTE)) return cursor.readDigits();
    const value = cursor.readDigits();
    cursor.expect(QUOTE);
    return value;
  }

  /** Most points repeat the time of the point before. */
  #readTime(known: TimeText): number {
    const cursor = this.#cursor;
    if (cursor.acceptRepetition(known.start, known.length)) return known.ms;
    const start = cursor.at;
    cursor.expect(QUOTE);
    let text = '';
    while (!cursor.accept(QUOTE)) {
      text += String.fromCharCode(cursor.bytes[cursor.at] ?? 0);
      cursor.at += 1;
      if (text.length > MAX_TIME_DIGITS) throw OTHER_FORM;
    }
    known.ms = timeOf(text);
    known.start = start;
    known.length = cursor.at - start;
    return known.ms;
  }
}

const MAX_TIME_DIGITS = 20;
