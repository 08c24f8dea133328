import type { AggregateOptions } from '../aggregate-options.ts';
import { type ReadBatch, acceptApplications } from '../batch/aggregate-batch.ts';
import { validateBatch } from '../schemas/batch-schema.ts';
import { seenTokensOf } from '../batch/seen-tokens.ts';
import { readRelayImpact } from '../impact/read-impact.ts';
import { admitSums } from './admit-sums.ts';
import { FastSums } from './fast-sums.ts';
import { readMetrics } from './metrics-reader.ts';

const METRICS = '"metrics"';
const LIST = ':[';

/**
 * The fast path adds up the metrics of a batch from the bytes of its body, if they have the form that relays write. It returns
 * undefined for any other body. Then the general path (JSON.parse, schema, `aggregateBatch`) decides and reports what is wrong.
 * For 480 metrics the fast path takes a third of the general path's time, about as long as JSON.parse alone.
 *
 * One fast path serves a process. The sums that it returns are valid until its next call.
 */
export function createFastPath(): (body: Buffer, options: AggregateOptions) => ReadBatch | undefined {
  const sums = new FastSums();
  return (body, options) => {
    const metrics = readList(body, { sums, options });
    if (metrics === undefined || isMostlyRest(metrics.rest, body)) return undefined;
    const rest = parse(metrics.rest);
    const result = validateBatch(rest);
    if ('problems' in result) return undefined;
    const { names } = options;
    if (names !== undefined && !admitSums(sums, names)) return undefined;
    const { count: received, hasExactTime } = metrics;
    const { refusals, applications } = acceptApplications(result.batch.applications, options);
    const { refusals: ofSamples, ...impact } = readRelayImpact(rest, options);
    const seenTokens = seenTokensOf(rest);
    return {
      received,
      sums,
      refusals: [...refusals, ...ofSamples],
      applications,
      hasExactTime,
      seenTokens,
      impact,
    };
  };
}

/** The fast path is no faster for applications and samples. If there is more of them than this, the general path divides the work. */
const MAX_REST_BYTES = 16 * 1024;

function isMostlyRest({ length }: Buffer, body: Buffer): boolean {
  return length > MAX_REST_BYTES && length > body.length / 2;
}

type AddedTo = { readonly sums: FastSums; readonly options: AggregateOptions };

/**
 * Adds up the list of metrics. `rest` is the body with an empty list in its place.
 *
 * The list is the right one: the member's name occurs only once, and nothing around the list is escaped. If the rest matches
 * the schema, the list is a member of the batch itself.
 */
function readList(body: Buffer, { sums, options }: AddedTo) {
  const key = body.indexOf(METRICS);
  const start = key + METRICS.length + LIST.length;
  if (key < 0 || body.toString('latin1', start - LIST.length, start) !== LIST) return undefined;
  const metrics = readMetrics(body, start, { sums, options });
  if (metrics === undefined) return undefined;
  const [head, tail] = [body.subarray(0, start), body.subarray(metrics.end - 1)];
  if (head.includes('\\') || tail.includes('\\') || tail.includes(METRICS)) return undefined;
  return { ...metrics, rest: Buffer.concat([head, tail]) };
}

/** Undefined for text that is not JSON. Undefined matches no schema. */
function parse(json: Buffer): unknown {
  try {
    return JSON.parse(UTF8.decode(json));
  } catch {
    return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
