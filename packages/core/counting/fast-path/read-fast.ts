import type { AggregateOptions } from '../aggregate-options.ts';
import { type ReadBatch, acceptApplications } from '../batch/aggregate-batch.ts';
import { type Batch, validateBatch } from '../schemas/batch-schema.ts';
import { seenTokensOf } from '../batch/seen-tokens.ts';
import { NO_IMPACT } from '../impact/impact-sample.ts';
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
    const repeated = metrics.rest.length > MAX_REST_BYTES ? undefined : options.recognise?.(metrics.rest);
    const recognised = repeated?.applications;
    const rest = recognised === undefined ? parse(metrics.rest) : NO_REST;
    if (rest === undefined) return undefined;
    const { names } = options;
    if (names !== undefined && !admitSums(sums, names)) return undefined;
    const { count: received, hasExactTime } = metrics;
    const { refusals, applications, impact, seenTokens } =
      rest === NO_REST ? NOTHING_BESIDE : acceptRest(rest, options);
    const hasOnlyApplications = refusals.length === 0 && impact.received === 0 && seenTokens.length === 0;
    return {
      received,
      sums,
      refusals,
      applications,
      hasExactTime,
      seenTokens,
      impact,
      rest: hasOnlyApplications ? repeated : undefined,
      recognised: recognised ?? 0,
    };
  };
}

type Rest = { readonly json: unknown; readonly batch: Batch };
type Accepted = Pick<ReadBatch, 'refusals' | 'applications' | 'seenTokens' | 'impact'>;

const NO_REST: Rest = { json: undefined, batch: { applications: [], metrics: [] } };
const NOTHING_BESIDE: Accepted = { refusals: [], applications: [], seenTokens: [], impact: NO_IMPACT };

function acceptRest({ json, batch }: Rest, options: AggregateOptions): Accepted {
  const { refusals, applications } = acceptApplications(batch.applications, options);
  const { refusals: ofSamples, ...impact } = readRelayImpact(json, options);
  return { refusals: [...refusals, ...ofSamples], applications, seenTokens: seenTokensOf(json), impact };
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

/** Undefined for a text that is not JSON, or does not match the schema. */
function parse(rest: Buffer): Rest | undefined {
  let json: unknown;
  try {
    json = JSON.parse(UTF8.decode(rest));
  } catch {
    return undefined;
  }
  const result = validateBatch(json);
  return 'problems' in result ? undefined : { json, batch: result.batch };
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
