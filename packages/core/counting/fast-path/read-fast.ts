import type { AggregateOptions } from '../aggregate-options.ts';
import { type ReadBatch, acceptApplications } from '../batch/aggregate-batch.ts';
import { type Batch, validateBatch } from '../schemas/batch-schema.ts';
import { seenTokensOf } from '../batch/seen-tokens.ts';
import { NO_IMPACT } from '../impact/impact-sample.ts';
import { readRelayImpact } from '../impact/read-impact.ts';
import { admitSums } from './admit-sums.ts';
import { FastSums } from './fast-sums.ts';
import type { FastReading } from './metrics-reader.ts';
import { MAX_REST_BYTES, parseRest, readMetrics } from './read-apart.ts';
import { type SdkOptions, readSdk } from './read-sdk.ts';

/**
 * The fast path adds up the metrics of a batch, or the toggles of an SDK, from the bytes of the body, if they have the form that relays
 * and most SDKs write. It returns undefined for any other body. Then the general path (JSON.parse, schema, `aggregateBatch`) decides and
 * reports what is wrong.
 * For 480 metrics the fast path takes a third of the general path's time, about as long as JSON.parse alone.
 *
 * One fast path serves a process. The sums that it returns are valid until its next call.
 */
export function createFastPath(): FastPath {
  const sums = new FastSums();
  return {
    readRelay: (body, options) => readRelay(body, { sums, options }),
    readSdk: (body, options) => readSdk(body, { sums, options }),
  };
}

export type FastPath = {
  readonly readRelay: (body: Buffer, options: AggregateOptions) => ReadBatch | undefined;
  readonly readSdk: (body: Buffer, options: SdkOptions) => ReadBatch | undefined;
};

function readRelay(body: Buffer, target: FastReading): ReadBatch | undefined {
  const { sums, options } = target;
  const metrics = readMetrics(body, target);
  if (metrics === undefined) return undefined;
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

/** Undefined for a text that is not JSON, or does not match the schema. */
function parse(rest: Buffer): Rest | undefined {
  const json = parseRest(rest);
  const result = validateBatch(json);
  return 'problems' in result ? undefined : { json, batch: result.batch };
}
