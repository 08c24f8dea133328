import type { Evaluation } from '#counting';
import type { Found, FoundInBody, FoundPoint } from './found.ts';
import { type Attributes, EVALUATION_METRICS, textOf, valueOf } from './mapping.ts';
import { placeOf } from './resources.ts';

/** What is counted of the evaluations that a body holds. `scopeEnvironment` is the environment of the token. */
export function* evaluationsOf(
  { resources }: Pick<FoundInBody, 'resources'>,
  scopeEnvironment: string,
): Generator<Evaluation> {
  for (const { resource, found } of resources) {
    const { appName, environment } = placeOf(resource, scopeEnvironment);
    for (const one of found) yield { appName, environment, ...evaluationOf(one) };
  }
}

function evaluationOf({ at, attributes, point }: Found): Omit<Evaluation, 'appName' | 'environment'> {
  const isError = point !== undefined && EVALUATION_METRICS.get(point.metric) === 'errors';
  const variant = textOf(attributes, 'variant');
  const errorType = textOf(attributes, 'errorType')?.toLowerCase();
  const failed = isError || errorType !== undefined ? 'error' : 'unknown';
  const reason = textOf(attributes, 'reason')?.toLowerCase() ?? failed;
  return {
    featureName: textOf(attributes, 'feature') ?? '',
    variant,
    isEnabled: isEnabled(attributes, { reason, variant }),
    reason,
    errorType,
    at,
    count: point?.value ?? 1,
    problem: point === undefined ? undefined : problemOf(point),
  };
}

/** Reasons for which an evaluation without a boolean value was not enabled. */
export const NOT_ENABLED_REASONS: ReadonlySet<string> = new Set(['default', 'disabled', 'error']);
/** Variants of boolean flags, for senders that leave the value out. */
export const NOT_ENABLED_VARIANTS: ReadonlySet<string> = new Set(['off', 'false', 'disabled']);

function isEnabled(
  attributes: Attributes,
  { reason, variant }: { readonly reason: string; readonly variant: string | undefined },
): boolean {
  const value = valueOf(attributes, 'value');
  if (typeof value === 'boolean') return value;
  if (NOT_ENABLED_REASONS.has(reason)) return false;
  return value !== undefined || !NOT_ENABLED_VARIANTS.has(variant?.toLowerCase() ?? '');
}

function problemOf({ kind, value, metric }: FoundPoint): Evaluation['problem'] {
  if (kind === 'cumulative') return { reason: 'cumulative_temporality', sample: `metric: ${metric}` };
  if (kind === 'other') return { reason: 'not_a_counter', sample: `metric: ${metric}` };
  const isCount = Number.isSafeInteger(value) && value >= 0;
  return isCount ? undefined : { reason: 'invalid_count', sample: `${metric}: ${value}` };
}
