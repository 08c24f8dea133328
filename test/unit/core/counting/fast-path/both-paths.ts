import { expect } from 'chai';
import {
  type Batch,
  type AggregateOptions,
  type AggregatedBatch,
  type ReadBatch,
  aggregateBatch,
  createFastPath,
  readRelayImpact,
  validateBatch,
} from '#core/counting';
import { decoded, encodeAggregated, aggregateOptions } from '../../../../support/builders/builders.ts';
import { sumsOfMessage } from '../../../../support/model/naive-sums.ts';

/** The fast path reads the body, and both paths return the same. */
export function expectBothPaths(body: Buffer, options: Partial<AggregateOptions> = {}): void {
  expect(expectAgreement(body, options), body.toString('utf8', 0, 1000)).to.equal('fast');
}

/** If the fast path reads a body, the general path reads it too, with the same counts. */
export function expectAgreement(body: Buffer, options: Partial<AggregateOptions> = {}): 'fast' | 'general' {
  const fast = readFast(body, options);
  if (fast === undefined) return 'general';
  const general = readGeneral(body, options);
  if (general === undefined) throw new Error('the general path rejects it');
  expect(contentOf(fast)).to.deep.equal(contentOf(general));
  return 'fast';
}

/** The result of the fast path; undefined if it leaves the body to the general path. */
export function readFast(body: Buffer, options: Partial<AggregateOptions> = {}): ReadBatch | undefined {
  return readRelay(body, aggregateOptions(options));
}

const { readRelay } = createFastPath();

export function readGeneral(
  body: Buffer,
  options: Partial<AggregateOptions> = {},
): AggregatedBatch | undefined {
  const batch = parse(body);
  if (batch === undefined) return undefined;
  const aggregated = aggregateBatch(batch, aggregateOptions(options));
  const { refusals } = readRelayImpact(batch, aggregateOptions(options));
  return { ...aggregated, refusals: [...aggregated.refusals, ...refusals] };
}

function parse(body: Buffer): Batch | undefined {
  try {
    const result = validateBatch(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    return 'batch' in result ? result.batch : undefined;
  } catch {
    return undefined;
  }
}

export function contentOf(aggregated: AggregatedBatch): unknown {
  const { received, refusals, applications } = aggregated;
  const message = decoded(encodeAggregated(aggregated));
  const size = [message.groups.length, message.rows.length];
  return { received, refusals, applications, size, sums: sumsOfMessage(message) };
}

/** The bytes of a batch with these metrics, each as JSON. */
export function bodyOf(metrics: readonly string[]): Buffer {
  return Buffer.from(`{"applications":[],"metrics":[${metrics.join(',')}]}`);
}
