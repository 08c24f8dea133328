import { formatPlural } from '../../state/format.ts';

type Refusal = { readonly day: string; readonly kind: string; readonly count: number };

/** The answer to what was not counted today (UTC). A list that was cut today holds only a part. */
export function refusalAnswer(refusals: readonly Refusal[], today: string, isCut: boolean): string {
  const ofToday = refusals.filter(({ day }) => day === today);
  const sumOf = (kind: string): number =>
    ofToday.filter((refusal) => refusal.kind === kind).reduce((sum, { count }) => sum + count, 0);
  const [metrics, applications] = [sumOf('metric'), sumOf('application')];
  const from = isCut && ofToday.length === refusals.length ? 'At least ' : '';
  if (metrics > 0) return `${from}${formatPlural(metrics, 'metric was', 'metrics were')} not counted today`;
  if (applications > 0)
    return `${from}${formatPlural(applications, 'application was', 'applications were')} not registered today`;
  return refusals.length === 0 ? 'Nothing was refused' : 'Nothing was refused today';
}
