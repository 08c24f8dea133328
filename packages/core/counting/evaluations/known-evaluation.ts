import { problemOfName } from '#base/schema';
import { hashOfName, hashOfPair } from '../names/name-hash.ts';
import { type Evaluation, type EvaluationResult, storedErrorOf, storedReasonOf } from './evaluation.ts';

/**
 * What evaluations say beside their application, time and number. A sender repeats a few of them for ever, so their names are checked and
 * hashed once.
 */
export class KnownEvaluation {
  readonly featureName: string;
  readonly featureHash: number;
  readonly variantName: string | undefined;
  readonly variantHash: number;
  readonly result: EvaluationResult;
  readonly reasonName: string;
  readonly errorName: string | undefined;
  readonly providerName: string | undefined;
  readonly providerHash: number;
  /** Of the provider of this feature. */
  readonly providerRow: number;

  /** The counts that gave it these ids of names. */
  idsOf = 0;
  feature = 0;
  variant = NO_ID;
  reason = 0;
  errorType: number | undefined;
  provider: number | undefined;

  constructor({ featureName, variant, result, reason, errorType, provider }: Evaluation) {
    this.featureName = featureName;
    this.featureHash = hashOfName(featureName);
    this.variantName = variant;
    this.variantHash = variant === undefined ? 0 : hashOfName(variant);
    this.result = result;
    this.reasonName = storedReasonOf(reason);
    this.errorName = storedErrorOf(errorType);
    this.providerName = provider;
    this.providerHash = provider === undefined ? 0 : hashOfName(provider);
    this.providerRow = hashOfPair(this.providerHash, this.featureHash);
  }
}

export const NO_ID = -1;

/** Undefined if it is refused, or stored under another name. Its application, time and number do not matter. */
export function knownEvaluationOf(evaluation: Evaluation): KnownEvaluation | undefined {
  const { featureName, variant, provider, problem } = evaluation;
  const names = [featureName, variant, provider].filter((name) => name !== undefined);
  if (problem !== undefined || names.some((name) => problemOfName(name) !== undefined)) return undefined;
  return new KnownEvaluation(evaluation);
}
