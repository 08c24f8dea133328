import type { IncomingMessage } from 'node:http';
import type { SchemaProblem } from '#base/schema';
import {
  type AggregateOptions,
  type AggregatedBatch,
  type Batch,
  type BucketSpan,
  type ReadBatch,
  type Refusal,
  type SdkImpact,
  type SdkScope,
  type Sender,
  type Steps,
  NO_IMPACT,
  type ReadImpact,
  aggregateInSteps,
  batchOfSdkMetrics,
  batchOfSdkRegistration,
  createFastPath,
  readImpactInSteps,
  readRelayImpactInSteps,
  seenTokensOf,
  validateBatch,
  validateBatchAsUnleash,
} from '#core/counting';
import { type Exchange, HttpProblem, checkContentType, parseForgivingly, parseJson } from '#base/http';
import type { EvaluationScope } from './opentelemetry/reading/index.ts';
import { LongBodies } from './bodies/long-bodies.ts';

export type ReadOptions = AggregateOptions & {
  /** What the token says. */
  readonly scope: SdkScope & EvaluationScope & { readonly id: string };
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
  /**
   * Reads a body as relays and most SDKs write it, which takes a millisecond if it is as long as it may be; undefined for any other. The batch is valid
   * until the next call, which reuses the sums.
   */
  readonly readFast?: (body: Buffer, options: ReadOptions) => FormBatch | undefined;
  /** Throws a 400 that lists the problems. */
  readonly read: (body: Buffer, options: ReadOptions) => Steps<FormBatch>;
  /** Works on the long bodies of this form and of others. */
  readonly longBodies: LongBodies;
  /** Throws a 415 for another content type. By default JSON. */
  readonly checkType?: (request: IncomingMessage) => void;
  /** How long a body with an exact time waits while Kafka rejects: most of its senders drop what was not accepted. */
  readonly longestWaitMs?: number;
  /** By default `MAX_BODY_BYTES`. */
  readonly maxBodyBytes?: number;
  /** For forms whose messages may be longer than Kafka accepts: longer ones get a 413. */
  readonly maxMessageBytes?: number;
};

/** A batch, and what its form does beside the publication. */
export type FormBatch = ReadBatch & {
  /** The key of the sender of a body that can only be a retry if it comes again, for forms whose headers do not show it. */
  readonly sender?: string | undefined;
  /** Called when the batch is stored. By default the answer is a 202 without a body. */
  readonly acknowledge?: (ctx: Exchange) => void;
};

type Parsed =
  | {
      readonly batch: Batch;
      readonly impact?: SdkImpact;
      readonly hasExactTime?: boolean;
      readonly span?: BucketSpan | undefined;
    }
  | { readonly problems: SchemaProblem[] };

/**
 * SDKs give up after ten seconds or later, except for .NET, which drops then what it would drop after a 503 too. The last try may begin
 * right before this time, and takes three seconds at most; what is stored after an SDK has given up would count twice.
 */
const LONGEST_WAIT_MS = 6000;

/**
 * The paths that accept batches. The first is the path of our contract. The others belong to Unleash, and take every body that Unleash
 * takes (docs/use/senders/contract.md#what-unleash-takes): current relays use the second, an SDK without a relay the rest.
 */
export function createBodyForms(): readonly (readonly [path: string, form: BodyForm])[] {
  const longBodies = new LongBodies();
  const fast = createFastPath();
  const ofRelays = {
    sentBy: 'servers',
    repeating: ['edge'],
    readFast: fast.readRelay,
    longBodies,
  } as const;
  const ofUnleash = { longBodies, checkType: checkTypeAsUnleash } as const;
  const metrics = {
    ...ofUnleash,
    repeating: ['edge', 'none'],
    readFast: fast.readSdk,
    read: readSdk(batchOfSdkMetrics),
    longestWaitMs: LONGEST_WAIT_MS,
  } as const;
  const registration = { ...ofUnleash, repeating: [], read: readSdk(batchOfSdkRegistration) } as const;
  return [
    ['/edge/metrics', { ...ofRelays, read: readExactBatch }],
    ['/api/client/metrics/bulk', { ...ofRelays, ...ofUnleash, read: readBatch }],
    ['/api/client/metrics', { sentBy: 'servers', isFirstHand: true, ...metrics }],
    ['/api/client/register', { sentBy: 'servers', ...registration }],
    ['/api/frontend/client/metrics', { sentBy: 'browsers', ...metrics }],
    ['/api/frontend/client/register', { sentBy: 'browsers', ...registration }],
  ];
}

function checkTypeAsUnleash(request: IncomingMessage): void {
  checkContentType(request, { mayBeUtf16: true });
}

function* readExactBatch(body: Buffer, options: ReadOptions): Steps<ReadBatch> {
  const json = parseJson(body);
  yield;
  return yield* readRelay(json, validateBatch(json), options);
}

function* readBatch(body: Buffer, options: ReadOptions): Steps<ReadBatch> {
  const json = parseForgivingly(body);
  yield;
  return yield* readRelay(json, validateBatchAsUnleash(json), options);
}

function* readRelay(json: unknown, parsed: Parsed, options: ReadOptions): Steps<ReadBatch> {
  yield;
  const batch = { ...(yield* aggregate(parsed, options)), seenTokens: seenTokensOf(json) };
  return withImpact(batch, yield* readRelayImpactInSteps(json, options));
}

function readSdk(toBatch: (body: unknown, scope: SdkScope) => Parsed): BodyForm['read'] {
  return function* read(body, options) {
    const json = parseForgivingly(body);
    yield;
    const parsed = toBatch(json, options.scope);
    yield;
    const batch = { ...(yield* aggregate(parsed, options)), seenTokens: [] };
    const placed = { ...batch, refusals: batch.refusals.map(placedInSdkBody) };
    if (!('batch' in parsed) || parsed.impact === undefined) return { ...placed, impact: NO_IMPACT };
    const { impact, hasExactTime = false, span } = parsed;
    return withImpact(
      { ...placed, hasExactTime, span },
      yield* readImpactInSteps(impact.metrics, impact.source, options),
    );
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

function* aggregate(parsed: Parsed, options: ReadOptions): Steps<AggregatedBatch> {
  if ('batch' in parsed) return yield* aggregateInSteps(parsed.batch, options);
  throw new HttpProblem(400, 'The body does not match the schema of a batch.', {
    details: parsed.problems,
    bodyProblem: 'schema',
  });
}
