import type { StepLength } from '#core/counting';
import { viewOf } from '#core/counting';
import { millisecondsOf } from '../protobuf/wire.ts';
import { OTHER_FORM, type PointCounts } from './point-counts.ts';

/** The numbers of fields with their wire types, as the byte before each. */
const TAGS = {
  point: 0x0a,
  temporality: 0x10,
  isMonotonic: 0x18,
  start: 0x11,
  time: 0x19,
  double: 0x21,
  exemplar: 0x2a,
  whole: 0x31,
  attribute: 0x3a,
  flags: 0x40,
} as const;

/** So that it has far fewer fields than a point may have. */
const MAX_POINT_BYTES = 8192;
/** The higher 32 bits of numbers above 2^53. */
const TOO_HIGH = 2 ** 21;

/**
 * Reads the points of delta counters in protobuf: only start, time, value and where the attributes are, which must follow one another. Throws
 * OTHER_FORM for a point that has them in another form.
 */
export class PointReader {
  readonly #view: DataView;
  readonly #points: PointCounts;
  readonly #length: StepLength;
  #at = 0;
  /** The times of the point before: the lower and the higher 32 bits, and epoch milliseconds. */
  #startLow = 0;
  #startHigh = 0;
  #startMs = 0;
  #timeLow = 0;
  #timeHigh = 0;
  #timeMs = 0;

  constructor(body: Uint8Array, points: PointCounts, length: StepLength) {
    this.#view = viewOf(body);
    this.#points = points;
    this.#length = length;
  }

  /** Reads the fields of a sum until a step is done. Returns where it stopped. */
  read(start: number, end: number): number {
    this.#at = start;
    while (this.#at < end) {
      const tag = this.#byte();
      if (tag === TAGS.point) {
        const size = this.#number();
        if (size > MAX_POINT_BYTES || this.#at + size > end) throw OTHER_FORM;
        this.#readPoint(this.#at + size);
        if (this.#length.isDone(this.#points.cost)) break;
      } else if (tag === TAGS.temporality || tag === TAGS.isMonotonic) this.#number();
      else throw OTHER_FORM;
    }
    return this.#at;
  }

  #readPoint(end: number): void {
    const view = this.#view;
    let [startLow, startHigh, timeLow, timeHigh] = [0, 0, 0, 0];
    let value = NaN;
    let [attributes, endOfAttributes] = [0, 0];
    let at = this.#at;
    while (at < end) {
      const tag = view.getUint8(at);
      if (tag === TAGS.attribute) {
        if (endOfAttributes === 0) attributes = at;
        else if (endOfAttributes !== at) throw OTHER_FORM;
        at = this.#endOf(at + 1);
        endOfAttributes = at;
        continue;
      }
      if (tag === TAGS.time) {
        timeLow = view.getUint32(at + 1, true);
        timeHigh = view.getUint32(at + 5, true);
      } else if (tag === TAGS.start) {
        startLow = view.getUint32(at + 1, true);
        startHigh = view.getUint32(at + 5, true);
      } else if (tag === TAGS.whole) {
        const high = view.getInt32(at + 5, true);
        if (high < 0 || high >= TOO_HIGH) throw OTHER_FORM;
        value = high * 2 ** 32 + view.getUint32(at + 1, true);
      } else if (tag === TAGS.double) value = view.getFloat64(at + 1, true);
      else {
        at = this.#skipOther(tag, at + 1);
        continue;
      }
      at += 9;
    }
    if (at !== end || !(value >= 0 && Number.isSafeInteger(value))) throw OTHER_FORM;
    this.#at = end;
    if (startLow !== this.#startLow || startHigh !== this.#startHigh) {
      this.#startLow = startLow;
      this.#startHigh = startHigh;
      this.#startMs = millisecondsOf(startLow, startHigh);
    }
    if (timeLow !== this.#timeLow || timeHigh !== this.#timeHigh) {
      this.#timeLow = timeLow;
      this.#timeHigh = timeHigh;
      this.#timeMs = millisecondsOf(timeLow, timeHigh);
    }
    this.#points.setTimes(this.#timeMs, this.#startMs);
    this.#points.add(attributes, endOfAttributes, value);
  }

  #skipOther(tag: number, at: number): number {
    if (tag === TAGS.exemplar) return this.#endOf(at);
    if (tag !== TAGS.flags || this.#view.getUint8(at) !== 0) throw OTHER_FORM;
    return at + 1;
  }

  /** The end of an embedded message, whose length is here. */
  #endOf(at: number): number {
    this.#at = at;
    const size = this.#number();
    return this.#at + size;
  }

  #byte(): number {
    const byte = this.#view.getUint8(this.#at);
    this.#at += 1;
    return byte;
  }

  /** A number below 2^14. No length of a point is longer. */
  #number(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    const second = this.#byte();
    if (second >= 0x80) throw OTHER_FORM;
    return (first & 0x7f) | (second << 7);
  }
}
