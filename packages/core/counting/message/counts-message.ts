import type { Refusal, RefusedKind } from '../refusals.ts';
import type { ReasonSums } from '../evaluations/reason-sums.ts';
import type { UnknownSum } from '../evaluations/unknown-message.ts';
import type { BatchImpact } from '../impact/impact-sample.ts';
import type { SeriesPoint } from '../series/series-point.ts';
import type { BucketSpan } from './bucket-span.ts';

/** Of the form of messages. A decoder reads no other one. */
export const COUNTS_VERSION = 1;

/**
 * One accepted batch on its way to the worker, with a dictionary: distinct names once, then integers. Its bytes are a line of
 * JSON with everything except the rows, followed by the rows as numbers of a ByteWriter. This is half as long as JSON and takes
 * a fifth of the time to write and read.
 *
 * `groups` holds triples (app, environment: indexes into names; hour since the epoch). What `rows` holds is in `rows.ts`.
 */
export type CountsMessage = {
  readonly batchId: string;
  /** Receipt time, epoch milliseconds. */
  readonly receivedAt: number;
  readonly tokenId: string;
  /** The token whose counters the points continue: the first one of its rotations. */
  readonly owner: string;
  /** Whether guards may act on it. */
  readonly isTrusted: boolean;
  readonly traceparent: string | undefined;
  /** Metrics in the request: the reports of all rows plus the points and the refused metrics. */
  readonly received: number;
  readonly names: readonly string[];
  readonly groups: readonly number[];
  readonly rows: readonly number[];
  readonly refusals: readonly Refusal[];
  readonly impact: BatchImpact;
  /** Evaluations whose result is unknown. None in most messages. */
  readonly unknown: readonly UnknownSum[];
  /** Undefined in most messages. */
  readonly reasons: ReasonSums | undefined;
  /** None in most messages. */
  readonly points: readonly SeriesPoint[];
  /** The time that the bucket of an SDK covers; undefined for others. */
  readonly span: BucketSpan | undefined;
};

export type CountsEnvelope = Pick<
  CountsMessage,
  'batchId' | 'receivedAt' | 'tokenId' | 'traceparent' | 'received'
> & {
  /** Not by default. */
  readonly isTrusted?: boolean | undefined;
  /** By default that of the token. */
  readonly owner?: string | undefined;
  readonly impact?: BatchImpact;
  readonly reasons?: ReasonSums | undefined;
  readonly points?: readonly SeriesPoint[] | undefined;
  readonly span?: BucketSpan | undefined;
};

/** How many metrics, applications or samples were refused. */
export function refusedOf(refusals: readonly Refusal[], kind: RefusedKind): number {
  let sum = 0;
  for (const refusal of refusals) if (refusal.kind === kind) sum += refusal.metrics;
  return sum;
}
