import {
  type AggregateOptions,
  type AggregatedBatch,
  type Batch,
  type ReadBatch,
  type SchemaProblem,
  type SdkScope,
  type Sender,
  aggregateBatch,
  batchOfSdkMetrics,
  batchOfSdkRegistration,
  createFastPath,
  seenTokensOf,
  validateBatch,
} from '#counting';
import { HttpProblem, parseJson } from '#http';

export type ReadOptions = AggregateOptions & {
  /** The environment and projects of the token. */
  readonly scope: SdkScope;
};

/** Who sends to one path, and how its bodies are read. */
export type BodyForm = {
  readonly sentBy: 'servers' | 'browsers';
  /**
   * Senders whose bodies with an exact time can only be repetitions when they arrive again. The buckets of one SDK differ in their
   * end. Equal bodies that a forwarder sends may be honest, unless it is an Edge.
   */
  readonly repeating: readonly Sender['kind'][];
  /** The sums of the next call replace these. Throws a 400 that names what is wrong. */
  readonly read: (body: Buffer, options: ReadOptions) => ReadBatch;
};

type Parsed = { readonly batch: Batch } | { readonly problems: SchemaProblem[] };

/**
 * The paths that take batches. The first is the path of the contract, the second the only one that current relays use; the others are
 * for one SDK without a relay (docs/unleash.md#metrics-endpoints).
 */
export function createBodyForms(): readonly (readonly [path: string, form: BodyForm])[] {
  const readFast = createFastPath();
  const readBatch: BodyForm['read'] = (body, options) =>
    readFast(body, options) ?? readAnyBatch(body, options);
  const sdkMetrics = { repeating: ['edge', 'none'], read: readSdk(batchOfSdkMetrics) } as const;
  return [
    ['/edge/metrics', { sentBy: 'servers', repeating: ['edge'], read: readBatch }],
    ['/api/client/metrics/bulk', { sentBy: 'servers', repeating: ['edge'], read: readBatch }],
    ['/api/client/metrics', { sentBy: 'servers', ...sdkMetrics }],
    ['/api/client/register', { sentBy: 'servers', repeating: [], read: readSdk(batchOfSdkRegistration) }],
    ['/api/frontend/client/metrics', { sentBy: 'browsers', ...sdkMetrics }],
  ];
}

function readAnyBatch(body: Buffer, options: ReadOptions): ReadBatch {
  const json = parseJson(body);
  return { ...aggregate(validateBatch(json), options), seenTokens: seenTokensOf(json) };
}

function readSdk(toBatch: (body: unknown, scope: SdkScope) => Parsed): BodyForm['read'] {
  return (body, options) => {
    const parsed = toBatch(parseJson(body), options.scope);
    return { ...aggregate(parsed, options), seenTokens: [] };
  };
}

function aggregate(parsed: Parsed, options: ReadOptions): AggregatedBatch {
  if ('batch' in parsed) return aggregateBatch(parsed.batch, options);
  throw new HttpProblem(400, 'The body does not match the schema of a batch.', { details: parsed.problems });
}
