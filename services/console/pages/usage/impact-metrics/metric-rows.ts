import { formatCount, formatMeasured, formatPlural } from '../../../state/format.ts';
import type { ImpactMetric, ImpactMetrics } from '../../../types.ts';

/** The first line of the page. */
export function impactMetricsAnswer({ total, impactMetrics }: ImpactMetrics): string {
  if (total === 0) return 'No application sends impact metrics';
  const names = new Set(impactMetrics.map(({ metric }) => metric)).size;
  const applications = new Set(impactMetrics.flatMap((metric) => metric.applications)).size;
  const features = new Set(impactMetrics.flatMap((metric) => metric.features)).size;
  const sent = formatPlural(applications, 'application sends', 'applications send');
  return `${sent} ${formatPlural(names, 'impact metric')} with ${formatPlural(features, 'flag')}`;
}

/** Whether its name, an application or a flag contains the text, which is in lower case. */
export function isFound({ metric, help, applications, features }: ImpactMetric, text: string): boolean {
  return [metric, help, ...applications, ...features].join('\n').toLowerCase().includes(text);
}

/** What it measured in the last 24 hours: a sum, a mean, or the last value of a gauge. */
export function lastDayOf({ type, value, observations }: ImpactMetric): string {
  if (value === null) return '–';
  if (type === 'counter') return formatCount(value);
  if (type === 'gauge') return `now ${formatMeasured(value)}`;
  return observations === 0 ? '–' : `mean ${formatMeasured(value / observations)}`;
}

/** Names in a line; `total` says how many there are. */
export function namesOf(names: readonly string[], total: number): string {
  return [...names, ...(total > names.length ? [`${formatCount(total - names.length)} more`] : [])].join(
    ', ',
  );
}
