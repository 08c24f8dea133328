import {
  type Batch,
  type SchemaProblem,
  type Sender,
  batchOfSdkMetrics,
  batchOfSdkRegistration,
  seenTokensOf,
  validateBatch,
} from '#counting';
import type { ApiToken } from '#tokens';

export type Submission = {
  readonly batch: Batch;
  /** Secrets: only their hashes go further. */
  readonly seenTokens: readonly string[];
};

/** Makes a batch of what was sent to one of the paths. */
export type BodyForm = {
  /** Whether it is a batch already. */
  readonly isBatch: boolean;
  /**
   * Whose bodies with an exact time can only be repetitions when they come again: the buckets of one SDK differ in their end; those
   * that a forwarder sends may be honest, unless it is an Edge.
   */
  readonly repeating: readonly Sender['kind'][];
  readonly parse: (body: unknown, token: ApiToken) => Submission | { readonly problems: SchemaProblem[] };
};

const parseBatch: BodyForm['parse'] = (body) => {
  const result = validateBatch(body);
  if ('problems' in result) return result;
  return { batch: result.batch, seenTokens: seenTokensOf(body) };
};

const parseSdkMetrics: BodyForm['parse'] = (body, token) => {
  const result = batchOfSdkMetrics(body, token);
  if ('problems' in result) return result;
  return { batch: result.batch, seenTokens: [] };
};

const parseSdkRegistration: BodyForm['parse'] = (body, token) => {
  const result = batchOfSdkRegistration(body, token);
  if ('problems' in result) return result;
  return { batch: result.batch, seenTokens: [] };
};

/**
 * The first is the path of the contract, the second the only one that current relays use; the others are for one
 * SDK without a relay (docs/unleash.md#metrics-endpoints).
 */
export const BODY_FORMS: readonly (readonly [path: string, form: BodyForm])[] = [
  ['/edge/metrics', { isBatch: true, repeating: ['edge'], parse: parseBatch }],
  ['/api/client/metrics/bulk', { isBatch: true, repeating: ['edge'], parse: parseBatch }],
  ['/api/client/metrics', { isBatch: false, repeating: ['edge', 'none'], parse: parseSdkMetrics }],
  ['/api/client/register', { isBatch: false, repeating: [], parse: parseSdkRegistration }],
];
