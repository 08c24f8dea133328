import {
  type ApiToken,
  type Batch,
  type SchemaProblem,
  batchOfSdkMetrics,
  batchOfSdkRegistration,
  seenTokensOf,
  validateBatch,
} from '#domain';

export type Submission = {
  readonly batch: Batch;
  /** Whether the same bytes of the same sender can only be a repetition. */
  readonly isRepeatable: boolean;
  /** Secrets: only their hashes go further. */
  readonly seenTokens: readonly string[];
};

/** Makes a batch of what was sent to one of the paths. */
export type BodyForm = {
  /** Whether it is a batch already. */
  readonly isBatch: boolean;
  readonly parse: (body: unknown, token: ApiToken) => Submission | { readonly problems: SchemaProblem[] };
};

const parseBatch: BodyForm['parse'] = (body) => {
  const result = validateBatch(body);
  if ('problems' in result) return result;
  return { batch: result.batch, isRepeatable: true, seenTokens: seenTokensOf(body) };
};

/** An SDK that does not say when its bucket ended may honestly count the same twice. */
const parseSdkMetrics: BodyForm['parse'] = (body, token) => {
  const result = batchOfSdkMetrics(body, token);
  if ('problems' in result) return result;
  return { batch: result.batch, isRepeatable: result.hasEnd, seenTokens: [] };
};

const parseSdkRegistration: BodyForm['parse'] = (body, token) => {
  const result = batchOfSdkRegistration(body, token);
  if ('problems' in result) return result;
  return { batch: result.batch, isRepeatable: true, seenTokens: [] };
};

/**
 * The first is the path of the contract, the second the only one that relays of today use; the others are for one
 * SDK without a relay (unleash-facts 1.1).
 */
export const BODY_FORMS: readonly (readonly [path: string, form: BodyForm])[] = [
  ['/edge/metrics', { isBatch: true, parse: parseBatch }],
  ['/api/client/metrics/bulk', { isBatch: true, parse: parseBatch }],
  ['/api/client/metrics', { isBatch: false, parse: parseSdkMetrics }],
  ['/api/client/register', { isBatch: false, parse: parseSdkRegistration }],
];
