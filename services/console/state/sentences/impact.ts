import { list, say } from '#base/words';
import type { ImpactComparison, ImpactMetric } from '../../types.ts';
import { formatCount, formatMeasured } from '../format.ts';
import { formatPlural } from './plural.ts';

/** What impact metrics and variants say about chance. */

/** Rates are for so many evaluations, because those for a single one have many zeros. */
export const EXPOSURES = 1000;
/** Below these a difference is more than chance would explain. */
const SIGNIFICANT = { arms: 0.05, weights: 0.01 };

/** The result of a comparison. */
export function comparisonSentence({ metric, type, control, arms }: ImpactComparison): string {
  const compared = arms.filter(({ ratio, arm }) => ratio !== null && arm !== control);
  if (compared.length === 0) return say`There is only one arm, and nothing to compare ${metric} with.`;
  const [first] = compared.toSorted((one, other) => (one.pValue ?? 1) - (other.pValue ?? 1));
  const what = type === 'counter' ? metric : say`observations of ${metric}`;
  const { arm = '', ratio = null, ratioLow = null, ratioHigh = null, pValue = null } = first ?? {};
  if (pValue === null || pValue >= SIGNIFICANT.arms || ratio === null)
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

/** What a chart of a comparison shows. */
export function comparisonTitle({ metric, type }: Pick<ImpactComparison, 'metric' | 'type'>): string {
  return type === 'counter'
    ? say`${metric} per ${formatCount(EXPOSURES)} evaluations`
    : say`mean of ${metric}`;
}

export function linesSentence(type: ImpactComparison['type']): string {
  return type === 'counter'
    ? `The lines are for ${formatCount(EXPOSURES)} evaluations.`
    : 'The lines are means. p50, p95 and p99 are estimated within a bucket. Ratio, interval and p compare how many observations the arms have, not how large they are.';
}

/** How sure it is that variants were served as configured: "as configured: p = 0.41" or "differs: p = 0.003". */
export function significanceWords(p: number): string {
  return p < SIGNIFICANT.weights ? `differs: ${formatP(p)}` : `as configured: p = ${p.toFixed(2)}`;
}

/** What a metric measured in the last 24 hours: a sum, a mean, or the last value of a gauge. */
export function lastDayWords({ type, value, observations }: ImpactMetric): string {
  if (value === null) return '–';
  if (type === 'counter') return formatCount(value);
  if (type === 'gauge') return `now ${formatMeasured(value)}`;
  return observations === 0 ? '–' : `mean ${formatMeasured(value / observations)}`;
}

export function observationsWords(observations: number): string {
  return formatPlural(observations, 'observation');
}

/** Names in a line; `total` says how many there are. */
export function namesWords(names: readonly string[], total: number): string {
  return list([...names, ...(total > names.length ? [`${formatCount(total - names.length)} more`] : [])]);
}
