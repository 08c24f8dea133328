import type { Attributes } from './mapping.ts';

/** An evaluation that a record or span event tells of, or several that a data point has counted. */
export type Found = {
  /** Epoch milliseconds, with a fraction; 0 if the sender does not say. */
  readonly at: number;
  readonly attributes: Attributes;
  /** Of a data point only. */
  readonly point?: FoundPoint;
};

export type FoundPoint = {
  readonly metric: string;
  /** The start of its interval, epoch milliseconds; 0 if the sender does not say. */
  readonly startedAt: number;
  /** NaN if it is none. */
  readonly value: number;
  readonly kind: 'delta' | 'cumulative' | 'other';
};

export type FoundOfResource = {
  readonly resource: Attributes;
  readonly found: readonly Found[];
};

/** What a body holds. Only resources with evaluations are listed. */
export type FoundInBody = {
  readonly resources: FoundOfResource[];
  /** Log records, spans or metrics without evaluations. */
  ignored: number;
};

/** The body is not what the protocol defines. The message is safe to show. */
export class MalformedBody extends Error {
  override readonly name = 'MalformedBody';
}
