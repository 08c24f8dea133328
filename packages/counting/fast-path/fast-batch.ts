import type { TakeOptions } from '../batch/take-batch.ts';
import { readUsualMetrics } from './fast-metrics.ts';
import { UsualSums } from './fast-sums.ts';

/** A body whose metrics are added up already. */
export type UsualBatch = {
  /** How many metrics there were, none of them to be refused. */
  readonly received: number;
  /** Whether a metric has an exact time. */
  readonly hasExactTime: boolean;
  /** Good until the next call. */
  readonly sums: UsualSums;
  /** The body with an empty list of metrics, for the general way. */
  readonly rest: Buffer;
};

const METRICS = '"metrics"';
const LIST = ':[';

/** One serves all: a batch is taken, and its message written, in one go. */
const sums = new UsualSums();

/**
 * Adds up the metrics of a batch straight from its bytes if they are in the form in which relays write them. Undefined for
 * any other body: the general way (JSON.parse, schema, `takeBatch`) decides then, and says what is wrong. It takes 480
 * metrics in a third of the time, about as long as JSON.parse alone.
 *
 * That the list which was read is the one that counts is sure when no other member could have its name: it is written
 * nowhere else, and nothing around it is escaped. Whether it stands at the top shows when the rest fits the schema.
 */
export function readUsualBatch(body: Buffer, options: TakeOptions): UsualBatch | undefined {
  const key = body.indexOf(METRICS);
  const start = key + METRICS.length + LIST.length;
  if (key < 0 || body.toString('latin1', start - LIST.length, start) !== LIST) return undefined;
  const metrics = readUsualMetrics(body, start, { sums, options });
  if (metrics === undefined) return undefined;
  const [head, tail] = [body.subarray(0, start), body.subarray(metrics.end - 1)];
  if (head.includes('\\') || tail.includes('\\') || tail.includes(METRICS)) return undefined;
  if (options.names !== undefined && !sums.areAdmitted(options.names)) return undefined;
  return {
    received: metrics.count,
    hasExactTime: metrics.hasExactTime,
    sums,
    rest: Buffer.concat([head, tail]),
  };
}
