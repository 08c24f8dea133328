import { Body, type LoadBody } from './body.ts';
import { createKeys, keyCount } from './keys.ts';
import type { LoadOptions } from '../options.ts';
import { OtlpBody } from './otlp-body.ts';
import { SdkBody } from './sdk-body.ts';

/** The rows of all prepared bodies together: about 110 MB of text. */
const MAX_ROWS = 600_000;
const MIN_BODIES = 64;

/**
 * Bodies that are not in flight, used in turn. There are enough of them to contain every key, if memory allows. A body in
 * flight belongs to its connection, because its bytes must not change.
 */
export class BodyPool {
  /** A ring buffer with room for all bodies; `null` if the body is in flight. */
  readonly #ring: (LoadBody | null)[];
  #first = 0;
  #end = 0;

  constructor(options: LoadOptions, startedAt: Date) {
    const {
      rowsPerBody,
      connections,
      token,
      seed,
      imitatesEdge = false,
      measures = false,
      spanMs = 0,
      format = 'unleash',
    } = options;
    const url = new URL(options.url);
    const nextKeys = createKeys(options, rowsPerBody);
    const wanted = Math.min(Math.ceil(keyCount(options) / rowsPerBody), Math.ceil(MAX_ROWS / rowsPerBody));
    const size = Math.max(wanted, MIN_BODIES, connections * 2);
    this.#ring = Array.from({ length: size }, (_, index) => {
      const of = { url, token, keys: nextKeys(), startedAt, seed };
      if (format === 'sdk') return new SdkBody(of);
      if (format !== 'unleash') return new OtlpBody({ ...of, encoding: format });
      const instance = imitatesEdge ? `instance-${index % connections}` : undefined;
      return new Body({ ...of, instance, measures, spanMs });
    });
  }

  /** Returns the body that has been unused for the longest time. There are more bodies than connections. */
  next(): LoadBody {
    const body = this.#ring[this.#first];
    if (body == null) throw new RangeError('every body is on its way');
    this.#ring[this.#first] = null;
    this.#first = (this.#first + 1) % this.#ring.length;
    return body;
  }

  giveBack(body: LoadBody): void {
    this.#ring[this.#end] = body;
    this.#end = (this.#end + 1) % this.#ring.length;
  }
}
