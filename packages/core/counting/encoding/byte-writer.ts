/** The longest number: 53 bits, seven in each byte. */
const MAX_NUMBER_BYTES = 8;

/** Writes bytes into a buffer that grows and is used again: one writer serves a process. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #length = 0;

  /** A copy of the bytes written since the last `flush`. */
  flush(): Buffer {
    const bytes = Buffer.from(this.#buffer.subarray(0, this.#length));
    this.#length = 0;
    return bytes;
  }

  text(text: string): void {
    this.#makeRoom(text.length * 3);
    this.#length += this.#buffer.write(text, this.#length);
  }

  byte(byte: number): void {
    this.#makeRoom(1);
    this.#buffer[this.#length] = byte;
    this.#length += 1;
  }

  /** Writes a part of other bytes. It is for short parts, where a loop is faster than a call. */
  copy(bytes: Uint8Array, start: number, length: number): void {
    this.#makeRoom(length);
    const buffer = this.#buffer;
    const at = this.#length;
    for (let i = 0; i < length; i += 1) buffer[at + i] = bytes[start + i] ?? 0;
    this.#length = at + length;
  }

  /**
   * Writes a whole number from 0 to 2^53-1 as LEB128: seven bits in each byte, the lowest first, and the highest bit set in all
   * bytes except the last.
   */
  number(value: number): void {
    this.#makeRoom(MAX_NUMBER_BYTES);
    const buffer = this.#buffer;
    let at = this.#length;
    let rest = value;
    while (rest > 0x7fff_ffff) {
      buffer[at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    while (rest > 0x7f) {
      buffer[at++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    buffer[at++] = rest;
    this.#length = at;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}

/** The numbers that a ByteWriter wrote; undefined if the bytes end within a number or a number exceeds 2^53-1. */
export function readNumbers(bytes: Uint8Array, start: number): number[] | undefined {
  let count = 0;
  let at = start;
  while (at < bytes.length) {
    let byte = bytes[at++] ?? 0;
    let value = byte & 0x7f;
    let weight = 0x80;
    while (byte > 0x7f) {
      if (at === bytes.length) return undefined;
      byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * weight;
      weight *= 0x80;
      if (!(value <= Number.MAX_SAFE_INTEGER)) return undefined;
    }
    numbers[count++] = value;
  }
  return numbers.slice(0, count);
}

/**
 * One buffer serves all messages and is as long as the longest. Growing a new one for each message took 1.6 times as long. A
 * Float64Array of the counted length made `decodeCounts` 1.35 times as slow (480 rows: 13.5 us instead of 10).
 */
const numbers: number[] = [];
