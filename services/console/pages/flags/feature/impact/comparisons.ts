import type { ImpactArm, ImpactComparison, ImpactSeries } from '../../../../types.ts';
import {
  type ChartData,
  type BucketCount,
  type Tone,
  sumOf,
  variantTone,
} from '../../../../state/chart/counts.ts';
import { formatMeasured } from '../../../../state/format.ts';
import { say, isolate } from '#base/words';

/** Rates are for so many evaluations, because those for a single one have many zeros. */
export const EXPOSURES = 1000;
/** Below this the difference is more than chance would explain. */
const SIGNIFICANT = 0.05;

/** Identifies a comparison in the URL. */
export function keyOf({ metric, application, environment }: ImpactComparison): string {
  return [metric, application, environment].join(' ');
}

/** Its name in a list: what several comparisons have in common is left out. */
export function titleOf(comparison: ImpactComparison, all: readonly ImpactComparison[]): string {
  const { metric, application, environment } = comparison;
  const ofMetric = all.filter((other) => other.metric === metric);
  const differs = (member: 'application' | 'environment') =>
    ofMetric.some((other) => other[member] !== comparison[member]);
  return [
    isolate(metric),
    ...(differs('application') ? [say`by ${application}`] : []),
    ...(differs('environment') ? [say`in ${environment}`] : []),
  ].join(' ');
}

/** The comparison of the URL, or else the one whose arms differ most surely. */
export function chosenOf(
  all: readonly ImpactComparison[],
  key: string | undefined,
): ImpactComparison | undefined {
  const bySurety = all.toSorted((one, other) => surest(one) - surest(other));
  return all.find((comparison) => keyOf(comparison) === key) ?? bySurety[0];
}

/** A histogram says how much was measured and how large it was, and only the former has a p-value. So counters come first. */
function surest({ type, arms }: ImpactComparison): number {
  return Math.min(1, ...arms.map(({ pValue }) => pValue ?? 1)) + (type === 'histogram' ? 1 : 0);
}

/** The result in one sentence. */
export function sentenceOf({ metric, type, control, arms }: ImpactComparison): string {
  const compared = arms.filter(({ ratio, arm }) => ratio !== null && arm !== control);
  if (compared.length === 0) return say`There is only one arm, and nothing to compare ${metric} with.`;
  const [first] = compared.toSorted((one, other) => (one.pValue ?? 1) - (other.pValue ?? 1));
  const what = type === 'counter' ? metric : say`observations of ${metric}`;
  const { arm = '', ratio = null, ratioLow = null, ratioHigh = null, pValue = null } = first ?? {};
  if (pValue === null || pValue >= SIGNIFICANT || ratio === null)
    return say`For each evaluation, the arms have about as many ${what}: chance alone explains the difference.`;
  const change = `${formatChange(ratio)} ${ratio > 1 ? 'more' : 'fewer'}`;
  const interval =
    ratioLow === null || ratioHigh === null ? '' : `, between ${formatInterval(ratioLow, ratioHigh)}`;
  return say`For each evaluation, ${arm} has ${change} ${what} than ${control}${interval} (${formatP(pValue)}).`;
}

/** 48 % */
function formatChange(ratio: number): string {
  return `${formatMeasured(Math.abs(100 * (ratio - 1)))} %`;
}

/** +40 % and +57 % */
function formatInterval(low: number, high: number): string {
  const signed = (ratio: number) => `${ratio < 1 ? '−' : '+'}${formatChange(ratio)}`;
  return `${signed(low)} and ${signed(high)}`;
}

export function formatP(p: number): string {
  return p < 0.001 ? 'p < 0.001' : `p = ${p.toFixed(3)}`;
}

/** The colour of an arm, which stays when another one is served more often. */
export function toneOf(arm: string, arms: readonly { readonly arm: string }[]): Tone {
  if (arm === 'enabled') return 'yes';
  if (arm === 'disabled') return 'no';
  const variants = arms.map((one) => one.arm).filter((name) => name !== 'enabled' && name !== 'disabled');
  return variantTone(variants.toSorted().indexOf(arm));
}

/** The sum of a counter for a thousand evaluations, or the mean of what a histogram observed; null if there is none. */
export function rateOf(
  { value, exposures, observations }: Pick<ImpactArm, 'value' | 'exposures' | 'observations'>,
  type: ImpactComparison['type'],
): number | null {
  const [part, whole] = type === 'counter' ? [EXPOSURES * value, exposures] : [value, observations];
  return whole === 0 ? null : part / whole;
}

/** The rate of each arm over time. */
export function impactChart(series: ImpactSeries, { arms, type }: ImpactComparison): ChartData {
  const starts = series.starts.map((start) => Date.parse(start));
  const lines = arms.map(({ arm }) => {
    const line = series.arms.find((one) => one.arm === arm);
    const at = (bucket: number) => ({
      value: line?.values[bucket] ?? 0,
      exposures: line?.exposures[bucket] ?? 0,
      observations: line?.observations[bucket] ?? 0,
    });
    const whole = {
      value: sumOf(line?.values ?? []) ?? 0,
      exposures: sumOf(line?.exposures ?? []) ?? 0,
      observations: sumOf(line?.observations ?? []) ?? 0,
    };
    return {
      arm,
      counts: starts.map((_, bucket): BucketCount => rateOf(at(bucket), type)),
      rate: rateOf(whole, type),
    };
  });
  return {
    starts,
    end: Date.parse(series.to),
    completeUntil: Date.parse(series.completeUntil),
    series: lines.map(({ arm, counts }) => ({ id: arm, title: arm, tone: toneOf(arm, arms), counts })),
    rates: lines.map(({ rate }) => rate),
  };
}
