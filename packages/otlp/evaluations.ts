import type { Evaluation, EvaluationResult } from '#counting';
import type { Found, FoundInBody, FoundPoint, Problem } from './found.ts';
import { type AttributeValue, type Attributes, EVALUATION_METRICS, textOf, valueOf } from './mapping.ts';
import { placeOf } from './resources.ts';
import { counterOf, processOf } from './series.ts';

/** What a token says about the evaluations that are sent with it. */
export type EvaluationScope = {
  readonly environment: string;
  readonly notEnabledReasons?: readonly string[] | undefined;
};

/** What is counted of the evaluations that a body holds. */
export function* evaluationsOf(
  { resources }: Pick<FoundInBody, 'resources'>,
  { environment, notEnabledReasons = NOT_ENABLED_REASONS }: EvaluationScope,
): Generator<Evaluation> {
  for (const { resource, found } of resources) {
    const place = placeOf(resource, environment);
    // Only cumulative points need it, and one hash is enough for all of them.
    let process: ReturnType<typeof processOf>;
    const of: OfResource = {
      place,
      notEnabledReasons,
      process: () => (process ??= processOf(resource, place)),
    };
    for (const one of found) yield evaluationOf(one, of);
  }
}

type OfResource = {
  readonly place: ReturnType<typeof placeOf>;
  /** See `processOf`. */
  readonly process: () => ReturnType<typeof processOf>;
  readonly notEnabledReasons: readonly string[];
};

/** Lists the members one by one: spreading other objects took two thirds of the CPU of a body. */
function evaluationOf(one: Found, { place, process, notEnabledReasons }: OfResource): Evaluation {
  const { at, attributes, point } = one;
  const isError = point !== undefined && EVALUATION_METRICS.get(point.metric) === 'errors';
  const variant = textOf(attributes, 'variant');
  const errorType = textOf(attributes, 'errorType')?.toLowerCase();
  const failed = isError || errorType !== undefined ? 'error' : 'unknown';
  const reason = textOf(attributes, 'reason')?.toLowerCase() ?? failed;
  const judged = point === undefined ? undefined : judgePoint(at, point, process);
  return {
    featureName: textOf(attributes, 'feature') ?? '',
    appName: place.appName,
    environment: place.environment,
    variant,
    result: resultOf(attributes, { variant, isNo: notEnabledReasons.includes(reason) }),
    reason,
    errorType,
    provider: textOf(attributes, 'provider'),
    at,
    count: point?.value ?? 1,
    counter: judged !== undefined && 'series' in judged ? judged : undefined,
    problem: judged !== undefined && 'reason' in judged ? judged : undefined,
  };
}

/** Reasons for which an evaluation without a boolean value was not enabled, unless the token has others. */
export const NOT_ENABLED_REASONS: readonly string[] = ['default', 'disabled', 'error'];
/** Variants of boolean flags, for senders that leave the value out. */
export const NOT_ENABLED_VARIANTS: ReadonlySet<string> = new Set(['off', 'false', 'disabled']);

/** The hook for Python sends all values as JSON. */
const BOOLEAN_TEXTS: ReadonlyMap<AttributeValue, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** What the value says, else the reason, else the variant. Nothing of them says nothing. */
function resultOf(
  attributes: Attributes,
  { variant, isNo }: { readonly variant: string | undefined; readonly isNo: boolean },
): EvaluationResult {
  const value = valueOf(attributes, 'value');
  const said = typeof value === 'boolean' ? value : BOOLEAN_TEXTS.get(value);
  if (said !== undefined) return said ? 'enabled' : 'disabled';
  if (isNo) return 'disabled';
  if (value !== undefined) return 'enabled';
  if (variant === undefined) return 'unknown';
  return NOT_ENABLED_VARIANTS.has(variant.toLowerCase()) ? 'disabled' : 'enabled';
}

/** The counter of a cumulative point, or why the point is refused; undefined for any other. */
function judgePoint(
  at: number,
  point: FoundPoint,
  processOfResource: OfResource['process'],
): Evaluation['counter'] | Problem {
  const { kind, value, metric, startedAt, series } = point;
  const sample = `metric: ${metric}`;
  if (kind === 'other') return { reason: 'not_a_counter', sample };
  const isCount = Number.isSafeInteger(value) && value >= 0;
  if (!isCount) return { reason: 'invalid_count', sample: `${metric}: ${value}` };
  if (kind === 'delta' || series === undefined) return undefined;
  const process = processOfResource();
  if (process === undefined) return { reason: 'no_instance', sample };
  if (typeof process !== 'string') return process;
  if (startedAt === 0 || at < startedAt) return { reason: 'no_start_time', sample };
  return typeof series === 'string' ? counterOf(process, series, point) : series;
}
