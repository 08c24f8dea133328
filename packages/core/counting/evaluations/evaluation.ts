import type { RefusalReason } from '../refusals.ts';
import { isOneOf } from '../encoding/guards.ts';

/** Why a flag had its value, as OpenFeature and OpenTelemetry name it. Custom reasons of providers are `other`. */
export const EVALUATION_REASONS = [
  'static',
  'default',
  'targeting_match',
  'split',
  'cached',
  'disabled',
  'unknown',
  'stale',
  'error',
  'other',
] as const;

/** What failed. Custom errors are `other`. */
export const ERROR_TYPES = [
  'flag_not_found',
  'invalid_context',
  'parse_error',
  'provider_fatal',
  'provider_not_ready',
  'targeting_key_missing',
  'type_mismatch',
  'general',
  'other',
] as const;

/** What came of an evaluation. It is unknown if the sender says neither a variant nor a value, nor a reason that decides. */
export const EVALUATION_RESULTS = ['disabled', 'enabled', 'unknown'] as const;
export type EvaluationResult = (typeof EVALUATION_RESULTS)[number];

/** Evaluations of one flag that had the same result. */
export type Evaluation = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly variant: string | undefined;
  readonly result: EvaluationResult;
  /** In lower case; any text. */
  readonly reason: string;
  /** In lower case; any text. Undefined if nothing failed. */
  readonly errorType: string | undefined;
  /** The system that evaluated the flag; any text. Undefined if the sender does not say. */
  readonly provider: string | undefined;
  /** Epoch milliseconds; 0 if the sender does not say. */
  readonly at: number;
  /** A whole number, unless there is a problem. */
  readonly count: number;
  /** Of a counter that adds up from its start: `count` is since then. Microseconds since the epoch. */
  readonly counter?: { readonly series: string; readonly startedAt: number } | undefined;
  /** Why it cannot be counted, and the value that shows it. */
  readonly problem?: { readonly reason: RefusalReason; readonly sample: string } | undefined;
  /** Where it is in its body, as a JSON pointer. */
  readonly place: { readonly pointer: string };
};

const OTHER = 'other';

/** Custom reasons and errors become `other`, so that few are stored. */
export function storedReasonOf(reason: string): string {
  return isOneOf(EVALUATION_REASONS, reason) ? reason : OTHER;
}

export function storedErrorOf(errorType: string | undefined): string | undefined {
  return errorType === undefined || isOneOf(ERROR_TYPES, errorType) ? errorType : OTHER;
}
