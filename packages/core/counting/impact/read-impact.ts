import type { AggregateOptions } from '../aggregate-options.ts';
import { showValue } from '../refusal-sample.ts';
import { type Refusal, type RefusalReason, RefusalSums, createNameChecks } from '../refusals.ts';
import { hourOf, displayableName } from '#base/schema';
import { isOneOf, isRecord } from '../encoding/guards.ts';
import type { BatchNames } from '../names/batch-names.ts';
import { StepLength, type Steps, inOneGo } from '../steps.ts';
import { hashOfName, hashOfPair } from '../names/name-hash.ts';
import { admitBounds, boundsOf } from './bounds.ts';
import {
  type BatchImpact,
  IMPACT_TYPES,
  type ImpactLabels,
  type ImpactSample,
  type ImpactSeries,
  type ImpactType,
} from './impact-sample.ts';
import { readImpactValue } from './impact-value.ts';
import { isTextual, readLabels, valueOfLabel } from './labels.ts';
import { type SampleProblem, invalidMember } from './problem.ts';

/** What the rest of a body says about its samples. */
export type ImpactSource = {
  readonly appName?: string | undefined;
  readonly environment?: string | undefined;
  readonly instanceId?: string | undefined;
};

export type ReadImpact = BatchImpact & { readonly refusals: readonly Refusal[] };

const NO_SAMPLES: ReadImpact = { received: 0, samples: [], refusals: [] };
/** As in Unleash, whose samples need not name an application. */
const UNKNOWN_APP = 'unknown';

/** As `readImpactInSteps`, at once. */
export function readImpact(member: unknown, source: ImpactSource, options: AggregateOptions): ReadImpact {
  return member == null ? NO_SAMPLES : inOneGo(readImpactInSteps(member, source, options));
}

/**
 * Reads the member `impactMetrics` of a body (docs/develop/unleash.md#impact-metrics). A sample that does not fit is refused with its
 * reason, and never costs the rest of the body.
 *
 * Samples have no time in this protocol: they count at their receipt, as in Unleash. A bucket beside them dates evaluations only, and
 * may be empty and from 1970 (Java), or from a clock that is wrong.
 */
export function* readImpactInSteps(
  member: unknown,
  source: ImpactSource,
  options: AggregateOptions,
): Steps<ReadImpact> {
  if (member == null) return NO_SAMPLES;
  const rules = { source, options, checks: createNameChecks() };
  const samples: ImpactSample[] = [];
  const refusals = new RefusalSums();
  const length = new StepLength();
  let received = 0;
  for (const [at, metric] of (Array.isArray(member) ? (member as unknown[]) : [member]).entries()) {
    const head = readMetric(metric, rules);
    // Without a list, the metric counts as one sample.
    for (const [index, sample] of (samplesOf(metric) ?? [undefined]).entries()) {
      received += 1;
      if (length.isDone()) yield;
      const read = 'reason' in head ? head : readSample(head, sample, rules);
      if ('reason' in read)
        refusals.add({ reason: read.reason, ...namesOf(head, source) }, () => ({
          sample: read.sample,
          place: `/impactMetrics/${at}${read === head ? '' : `/samples/${index}`}`,
        }));
      else samples.push(read);
    }
  }
  return { received, samples, refusals: refusals.toArray() };
}

/** The samples of a body that a relay sends. It merges those of its SDKs, so only labels name their application. */
export function readRelayImpact(body: unknown, options: AggregateOptions): ReadImpact {
  return readImpact(impactOf(body), {}, options);
}

/** The same in steps. */
export function readRelayImpactInSteps(body: unknown, options: AggregateOptions): Steps<ReadImpact> {
  return readImpactInSteps(impactOf(body), {}, options);
}

function impactOf(body: unknown): unknown {
  return isRecord(body) ? body['impactMetrics'] : undefined;
}

type Rules = {
  readonly source: ImpactSource;
  readonly options: AggregateOptions;
  readonly checks: ReturnType<typeof createNameChecks>;
};

type ImpactMetric = { readonly name: string; readonly type: ImpactType; readonly help: string };

function readMetric(
  metric: unknown,
  { checks }: Rules,
): ImpactMetric | (SampleProblem & { readonly name?: string }) {
  if (!isRecord(metric)) return invalidMember('metric', metric);
  const { type, help } = metric;
  if (!isTextual(metric['name'])) return invalidMember('name', metric['name']);
  const name = String(metric['name']);
  const reason = checks.name(name);
  if (reason !== undefined) return { name, reason, sample: showValue('name', name) };
  if (!isOneOf(IMPACT_TYPES, type)) return { name, ...invalidMember('type', type) };
  return { name, type, help: typeof help === 'string' ? displayableName(help) : '' };
}

function samplesOf(metric: unknown): readonly unknown[] | undefined {
  return isRecord(metric) && Array.isArray(metric['samples']) ? metric['samples'] : undefined;
}

function namesOf({ name }: { readonly name?: string }, { appName, environment }: ImpactSource) {
  return {
    kind: 'sample',
    featureName: name ?? '',
    appName: appName ?? '',
    environment: environment ?? '',
  } as const;
}

function readSample(metric: ImpactMetric, sample: unknown, rules: Rules): ImpactSample | SampleProblem {
  if (!isRecord(sample)) return invalidMember('samples', sample);
  const labels = readLabels(sample['labels'], rules.checks);
  if ('reason' in labels) return labels;
  const value = readImpactValue(metric.type, sample);
  if ('reason' in value) return value;
  const series = { name: metric.name, ...placeOf(labels, rules), ...labels };
  return (
    problemOfPlace(series, rules) ??
    problemOfSeries(series, boundsOf(value), rules.options.names) ?? {
      ...series,
      help: metric.help,
      ...value,
    }
  );
}

/** As for counts of SDKs: only a token for all environments leaves the environment to the sender. */
function placeOf(labels: ImpactLabels, { source, options: { allowedEnvironment, receivedAt } }: Rules) {
  const named = source.environment ?? valueOfLabel(labels, 'environment') ?? 'default';
  return {
    appName: valueOfLabel(labels, 'appName') ?? source.appName ?? UNKNOWN_APP,
    environment: allowedEnvironment === '*' ? named : allowedEnvironment,
    instanceId: source.instanceId ?? '',
    hour: hourOf(receivedAt),
  };
}

function problemOfPlace(
  { appName, environment, instanceId }: ImpactSeries,
  { checks }: Rules,
): SampleProblem | undefined {
  const places = [
    ['appName', appName, checks.name(appName)],
    ['environment', environment, checks.environment(environment)],
    ['instanceId', instanceId, instanceId === '' ? undefined : checks.name(instanceId)],
  ] as const;
  for (const [field, value, reason] of places)
    if (reason !== undefined) return { reason, sample: showValue(field, value) };
  return undefined;
}

/** Checked last, because a name takes room and a refused sample must take none. */
function problemOfSeries(
  series: ImpactSeries,
  bounds: string | undefined,
  names: BatchNames | undefined,
): SampleProblem | undefined {
  const reason = names?.attempt((all) => refusalOfNames(series, bounds, all));
  if (reason === undefined) return undefined;
  const { appName, environment, labelNames } = series;
  if (reason === 'too_many_apps') return { reason, sample: showValue('appName', appName) };
  if (reason === 'too_many_environments') return { reason, sample: showValue('environment', environment) };
  if (reason === 'too_many_bounds') return { reason, sample: showValue('bounds', bounds ?? '') };
  return { reason, sample: `${labelNames.length} labels` };
}

function refusalOfNames(
  { name, appName, environment, instanceId, hour, labelNames, labelValues }: ImpactSeries,
  bounds: string | undefined,
  names: BatchNames,
): RefusalReason | undefined {
  if (!names.admit('app', hashOfName(appName))) return 'too_many_apps';
  if (!names.admit('environment', hashOfName(environment))) return 'too_many_environments';
  const hashOf = (place: readonly string[]): number =>
    hashOfPair(hashOfName(JSON.stringify([...place, labelNames, labelValues])), hour);
  if (!names.admit('series', hashOf([name, appName, environment, instanceId]))) return 'too_many_series';
  if (bounds === undefined) return undefined;
  // The sums of a histogram are those of all instances.
  return admitBounds(names, hashOf([name, appName, environment]), bounds) ? undefined : 'too_many_bounds';
}
