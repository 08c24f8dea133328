/** Buckets for each power of two: the error of a value is below 1/128. */
const BITS = 7;
const BUCKETS = 2 ** BITS;
const LARGEST = 2 ** 32 - 1;

/**
 * Latencies in whole microseconds, up to 71 minutes, in 26 kB whatever is recorded. Log-linear buckets as in HDR
 * histograms; the library of that name would bring a WebAssembly loader and a zlib for these forty lines.
 */
export class Histogram {
  readonly #counts = new Float64Array((32 - BITS + 1) * BUCKETS);
  #total = 0;
  #max = 0;

  get total(): number {
    return this.#total;
  }

  get max(): number {
    return this.#max;
  }

  record(microseconds: number): void {
    const value = Math.min(Math.max(Math.round(microseconds), 0), LARGEST);
    const index = indexOf(value);
    this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    this.#total += 1;
    if (value > this.#max) this.#max = value;
  }

  /** The value that a share (0 to 1) of all recorded ones do not exceed; 0 of nothing. */
  quantile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.#total));
    for (const [index, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(largestOf(index), this.#max);
    }
    return this.#max;
  }
}

function indexOf(value: number): number {
  const shift = Math.max(0, 31 - Math.clz32(value) - BITS);
  return shift * BUCKETS + (value >>> shift);
}

/** The largest value that falls into a bucket. */
function largestOf(index: number): number {
  const shift = Math.max(0, Math.floor(index / BUCKETS) - 1);
  return (index - shift * BUCKETS + 1) * 2 ** shift - 1;
}
