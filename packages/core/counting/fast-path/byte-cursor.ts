import { HASH_FACTOR, HASH_SEED } from '../names/name-hash.ts';

/**
 * Thrown if the bytes do not have the form of the fast path. Checking a result at each step took a seventh longer. It is
 * created once, because creating a stack trace costs more than reading a metric.
 */
export const OTHER_FORM = new Error('not in the form of the fast path');

export const codeOf = (character: string): number => character.charCodeAt(0);
export const QUOTE = codeOf('"');
export const COMMA = codeOf(',');
export const BRACE_END = codeOf('}');
export const ZERO = codeOf('0');
export const BACKSLASH = codeOf('\\');
const FIRST_PRINTABLE = codeOf(' ');
const LAST_PRINTABLE = codeOf('~');

/**
 * A text to compare with, four bytes at a time; the last four may overlap. Comparing single bytes made the fast path a fifth
 * slower.
 */
export class Literal {
  readonly length: number;
  readonly words: Uint32Array;
  readonly lastWord: number;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.length = bytes.length;
    this.words = Uint32Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readUInt32LE(4 * i));
    this.lastWord = bytes.readUInt32LE(bytes.length - 4);
  }
}

/** A position in JSON that is ASCII without escapes or spaces. Throws OTHER_FORM if the expected bytes are not there. */
export class ByteCursor {
  readonly bytes: Uint8Array;
  at: number;
  /** The position and hash of the text that was read last. */
  textStart = 0;
  textLength = 0;
  textHash = 0;
  readonly #view: DataView;

  constructor(bytes: Uint8Array, start: number) {
    this.bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.at = start;
  }

  /** Moves past this byte and returns true, if it is next. */
  accept(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false;
    this.at += 1;
    return true;
  }

  expect(byte: number): void {
    if (this.bytes[this.at] !== byte) throw OTHER_FORM;
    this.at += 1;
  }

  /** Moves past this text and returns true, if it is next. */
  acceptLiteral({ length, words, lastWord }: Literal): boolean {
    const view = this.#view;
    const at = this.at;
    if (at + length > view.byteLength) return false;
    for (let i = 0; i < words.length; i += 1) {
      if (view.getUint32(at + 4 * i, true) !== words[i]) return false;
    }
    if (view.getUint32(at + length - 4, true) !== lastWord) return false;
    this.at = at + length;
    return true;
  }

  /** Moves past a repetition of earlier bytes, at least four, and returns true, if it is next. */
  acceptRepetition(start: number, length: number): boolean {
    const view = this.#view;
    const at = this.at;
    if (length < 4 || at + length > view.byteLength) return false;
    for (let i = 0; i < length - 4; i += 4) {
      if (view.getUint32(at + i, true) !== view.getUint32(start + i, true)) return false;
    }
    if (view.getUint32(at + length - 4, true) !== view.getUint32(start + length - 4, true)) return false;
    this.at = at + length;
    return true;
  }

  /** Reads a text with its quotes. */
  readText(): void {
    this.expect(QUOTE);
    const { bytes, at: start } = this;
    const factor = HASH_FACTOR;
    let at = start;
    let hash = HASH_SEED;
    let byte = bytes[at] ?? 0;
    while (byte !== QUOTE) {
      if (byte < FIRST_PRINTABLE || byte > LAST_PRINTABLE || byte === BACKSLASH) throw OTHER_FORM;
      hash = Math.imul(hash ^ byte, factor);
      at += 1;
      byte = bytes[at] ?? 0;
    }
    this.at = at + 1;
    this.textStart = start;
    this.textLength = at - start;
    this.textHash = hash;
  }

  /** Reads a whole number below 10^15 that is the end of its member: no decimal point, no exponent. */
  readCount(): number {
    const value = this.readDigits();
    const next = this.bytes[this.at];
    if (next !== COMMA && next !== BRACE_END) throw OTHER_FORM;
    return value;
  }

  /** Reads the digits of a whole number below 10^15. */
  readDigits(): number {
    const { bytes, at: start } = this;
    let at = start;
    let value = 0;
    let digit = (bytes[at] ?? 0) - ZERO;
    while (digit >= 0 && digit <= 9) {
      value = value * 10 + digit;
      at += 1;
      digit = (bytes[at] ?? 0) - ZERO;
    }
    const length = at - start;
    const hasLeadingZero = length > 1 && bytes[start] === ZERO;
    if (length === 0 || length > 15 || hasLeadingZero) throw OTHER_FORM;
    this.at = at;
    return value;
  }

  /** Two digits at a position; the cursor does not move. */
  twoDigits(at: number): number {
    const tens = (this.bytes[at] ?? 0) - ZERO;
    const ones = (this.bytes[at + 1] ?? 0) - ZERO;
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) throw OTHER_FORM;
    return tens * 10 + ones;
  }
}
