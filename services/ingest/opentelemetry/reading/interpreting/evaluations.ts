import { type Evaluation, showValue } from '#core/counting';
import type { Found, FoundInBody, FoundPoint, Problem } from '../found.ts';
import { EVALUATION_METRICS, textOf, valueOf } from '../mapping.ts';
import { ownerOf } from './resources.ts';
import { NOT_ENABLED_REASONS, resultOf, storedVariantOf } from './results.ts';
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
    const owner = ownerOf(resource, environment);
    // Only cumulative points need it, and one hash is enough for all of them.
    let process: ReturnType<typeof processOf>;
    const of: OfResource = {
      owner,
      notEnabledReasons,
      process: () => (process ??= processOf(resource, owner)),
    };
    for (const one of found) yield evaluationOf(one, of);
  }
}

type OfResource = {
  readonly owner: ReturnType<typeof ownerOf>;
  /** See `processOf`. */
  readonly process: () => ReturnType<typeof processOf>;
  readonly notEnabledReasons: readonly string[];
};

/** Lists the members one by one: spreading other objects took two thirds of the CPU of a body. */
function evaluationOf(one: Found, { owner, process, notEnabledReasons }: OfResource): Evaluation {
  const { at, attributes, point, place } = one;
  const errorType = textOf(attributes, 'errorType')?.toLowerCase();
  const reason =
    textOf(attributes, 'reason')?.toLowerCase() ?? (hasFailed(one, errorType) ? 'error' : 'unknown');
  const judged = point === undefined ? undefined : judgePoint(at, point, process);
  return {
    featureName: textOf(attributes, 'feature') ?? '',
    appName: owner.appName,
    environment: owner.environment,
    variant: storedVariantOf(attributes),
    result: resultOf(one, notEnabledReasons.includes(reason)),
    reason,
    errorType,
    provider: textOf(attributes, 'provider'),
    at,
    count: point?.value ?? 1,
    counter: judged !== undefined && 'series' in judged ? judged : undefined,
    problem: judged !== undefined && 'reason' in judged ? judged : undefined,
    place,
  };
}

function hasFailed({ attributes, point, isFailure }: Found, errorType: string | undefined): boolean {
  if (errorType !== undefined || isFailure === true || valueOf(attributes, 'failed') === true) return true;
  return point !== undefined && EVALUATION_METRICS.get(point.metric) === 'errors';
}

/** The counter of a cumulative point, or why the point is refused; undefined for any other. */
function judgePoint(
  at: number,
  point: FoundPoint,
  processOfResource: OfResource['process'],
): Evaluation['counter'] | Problem {
  const { kind, value, metric, startedAt, series } = point;
  const sample = showValue('metric', metric);
  if (kind === 'other') return { reason: 'not_a_counter', sample };
  const isCount = Number.isSafeInteger(value) && value >= 0;
  if (!isCount) return { reason: 'invalid_count', sample: showValue(metric, String(value)) };
  if (kind === 'delta' || series === undefined) return undefined;
  const process = processOfResource();
  if (process === undefined) return { reason: 'no_instance', sample };
  if (typeof process !== 'string') return process;
  if (startedAt === 0 || at < startedAt) return { reason: 'no_start_time', sample };
  return typeof series === 'string' ? counterOf(process, series, point) : series;
}
