import type { ImpactArm, ImpactComparison, ImpactSeries } from '../../../../types.ts';
import {
  type ChartData,
  type BucketCount,
  type Tone,
  sumOf,
  variantTone,
} from '../../../../state/chart/counts.ts';
import { EXPOSURES } from '../../../../state/sentences/index.ts';
import { say, isolate } from '#base/words';

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
