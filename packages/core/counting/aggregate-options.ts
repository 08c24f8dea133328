import type { BatchNames } from './names/batch-names.ts';
import type { RefusalLimits } from './refusals.ts';

/** What decides whether the metrics of a body are counted. */
export type AggregateOptions = {
  /** Epoch milliseconds; replaces a missing timestamp. */
  readonly receivedAt: number;
  /** The environment of the token; '*' allows every environment. */
  readonly allowedEnvironment: string;
  readonly limits: RefusalLimits;
  /** The names that the token may send in this hour; undefined means no limit. The caller commits them. */
  readonly names?: BatchNames | undefined;
  /** Recognises what a body says beside its metrics, if the token has sent the same bytes before. */
  readonly recognise?: ((rest: Uint8Array) => RepeatedRest) | undefined;
};

/** What a body says beside its metrics, as bytes. Relays repeat it with each body. */
export type RepeatedRest = {
  readonly key: string;
  /** Epoch milliseconds. */
  readonly receivedAt: number;
  /** How many applications it has, if it needs not be read again; undefined if it must be read. */
  readonly applications: number | undefined;
};
