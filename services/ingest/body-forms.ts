import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import {
  type AggregateOptions,
  type AggregatedBatch,
  type Batch,
  type ReadBatch,
  type Refusal,
  type SchemaProblem,
  type SdkImpact,
  type SdkScope,
  type Sender,
  NO_IMPACT,
  type ReadImpact,
  aggregateBatch,
  batchOfSdkMetrics,
  batchOfSdkRegistration,
  createFastPath,
  readImpact,
  readRelayImpact,
  seenTokensOf,
  validateBatch,
  validateBatchAsUnleash,
} from '#counting';
import { HttpProblem, parseForgivingly, parseJson } from '#http';
import type { EvaluationScope } from '#otlp';

export type ReadOptions = AggregateOptions & {
  /** What the token says. */
  readonly scope: SdkScope & EvaluationScope;
};

/** The senders of one path, and how to read their bodies. */
export type BodyForm = {
  readonly sentBy: 'servers' | 'browsers';
  /** Whether its bodies come from the servers themselves. A relay adds the evaluations of browsers to those of servers. */
  readonly isFirstHand?: true;
  /**
   * The kinds of sender that repeat a body with an exact time only when they retry. Each bucket of one SDK has a different end
   * time. A forwarder may send equal bodies that both count, except for Edge.
   */
  readonly repeating: readonly Sender['kind'][];
  /** Valid until the next call, which reuses the sums. Throws a 400 that lists the problems. */
  readonly read: (body: Buffer, options: ReadOptions) => FormBatch;
  /** Throws a 415 for another content type. By default JSON. */
  readonly checkType?: (request: IncomingMessage) => void;
  /** By default `MAX_BODY_BYTES`. */
  readonly maxBodyBytes?: number;
  /** For forms whose bodies take long to read: resolves when one may be read. */
  readonly turn?: () => Promise<void>;
  /** For forms whose messages may be longer than Kafka accepts: longer ones get a 413. */
  readonly maxMessageBytes?: number;
};

/** A batch, and what its form does beside the publication. */
export type FormBatch = ReadBatch & {
  /** The key of the sender of a body that can only be a retry if it comes again, for forms whose headers do not show it. */
  readonly sender?: string | undefined;
  /** Called when the batch is stored. By default the answer is a 202 without a body. */
  readonly acknowledge?: (ctx: Context) => void;
};

type Parsed =
  | { readonly batch: Batch; readonly impact?: SdkImpact; readonly hasExactTime?: boolean }
  | { readonly problems: SchemaProblem[] };

/**
 * The paths that accept batches. The first is the path of our contract. The others belong to Unleash, and take every body that Unleash
 * takes (docs/use/contract.md#what-unleash-takes): current relays use the second, an SDK without a relay the rest.
 */
export function createBodyForms(): readonly (readonly [path: string, form: BodyForm])[] {
  const readFast = createFastPath();
  const readAs =
    (readAny: BodyForm['read']): BodyForm['read'] =>
    (body, options) =>
      readFast(body, options) ?? readAny(body, options);
  const sdkMetrics = { repeating: ['edge', 'none'], read: readSdk(batchOfSdkMetrics) } as const;
  return [
    ['/edge/metrics', { sentBy: 'servers', repeating: ['edge'], read: readAs(readExactBatch) }],
    ['/api/client/metrics/bulk', { sentBy: 'servers', repeating: ['edge'], read: readAs(readBatch) }],
    ['/api/client/metrics', { sentBy: 'servers', isFirstHand: true, ...sdkMetrics }],
    ['/api/client/register', { sentBy: 'servers', repeating: [], read: readSdk(batchOfSdkRegistration) }],
    ['/api/frontend/client/metrics', { sentBy: 'browsers', ...sdkMetrics }],
    [
      '/api/frontend/client/register',
      { sentBy: 'browsers', repeating: [], read: readSdk(batchOfSdkRegistration) },
    ],
  ];
}

function readExactBatch(body: Buffer, options: ReadOptions): ReadBatch {
  const json = parseJson(body);
  return readRelay(json, validateBatch(json), options);
}

function readBatch(body: Buffer, options: ReadOptions): ReadBatch {
  const json = parseForgivingly(body);
  return readRelay(json, validateBatchAsUnleash(json), options);
}

function readRelay(json: unknown, parsed: Parsed, options: ReadOptions): ReadBatch {
  const batch = { ...aggregate(parsed, options), seenTokens: seenTokensOf(json) };
  return withImpact(batch, readRelayImpact(json, options));
}

function readSdk(toBatch: (body: unknown, scope: SdkScope) => Parsed): BodyForm['read'] {
  return (body, options) => {
    const parsed = toBatch(parseForgivingly(body), options.scope);
    const batch = { ...aggregate(parsed, options), seenTokens: [] };
    const placed = { ...batch, refusals: batch.refusals.map(placedInSdkBody) };
    if (!('batch' in parsed) || parsed.impact === undefined) return { ...placed, impact: NO_IMPACT };
    const { impact, hasExactTime = false } = parsed;
    const exact = { ...placed, hasExactTime: batch.hasExactTime || hasExactTime };
    return withImpact(exact, readImpact(impact.metrics, impact.source, options));
  };
}

/** The whole body of an SDK is one application, and its metrics are the toggles of a bucket. */
function placedInSdkBody({ place = '', ...refusal }: Refusal): Refusal {
  return {
    ...refusal,
    place: place.replace('/metrics/', '/bucket/toggles/').replace(/^\/applications\/\d+/, ''),
  };
}

function withImpact(batch: Omit<ReadBatch, 'impact'>, { refusals, ...impact }: ReadImpact): ReadBatch {
  return { ...batch, refusals: [...batch.refusals, ...refusals], impact };
}

function aggregate(parsed: Parsed, options: ReadOptions): AggregatedBatch {
  if ('batch' in parsed) return aggregateBatch(parsed.batch, options);
  throw new HttpProblem(400, 'The body does not match the schema of a batch.', {
    details: parsed.problems,
    bodyProblem: 'schema',
  });
}
