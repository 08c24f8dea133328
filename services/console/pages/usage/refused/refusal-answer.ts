import { formatPlural } from '../../../state/format.ts';

type OfDay = { readonly day: string; readonly count: number };

type Known = {
  readonly refusals: readonly (OfDay & { readonly kind: string })[];
  readonly rejectedBodies: readonly OfDay[];
  readonly today: string;
  /** Whether the refusals are only the newest ones. */
  readonly isCut: boolean;
};

/** Answers the question what was not counted today (UTC). If the list is cut and has only entries of today, there may be more. */
export function refusalAnswer({ refusals, rejectedBodies, today, isCut }: Known): string {
  const isToday = ({ day }: OfDay): boolean => day === today;
  const ofToday = refusals.filter(isToday);
  const ofKind = (kind: string) => ofToday.filter((refusal) => refusal.kind === kind);
  const [metrics, applications] = [sumOf(ofKind('metric')), sumOf(ofKind('application'))];
  const bodies = sumOf(rejectedBodies.filter(isToday));
  const from = isCut && ofToday.length === refusals.length ? 'At least ' : '';
  const parts = [
    ...(metrics > 0 ? [`${from}${formatPlural(metrics, 'metric was', 'metrics were')} not counted`] : []),
    ...(metrics === 0 && applications > 0
      ? [`${from}${formatPlural(applications, 'application was', 'applications were')} not registered`]
      : []),
    ...(bodies > 0 ? [`${formatPlural(bodies, 'body was', 'bodies were')} not accepted`] : []),
  ];
  if (parts.length > 0) return `${parts.join(', and ')} today`;
  return refusals.length + rejectedBodies.length === 0 ? 'Nothing was refused' : 'Nothing was refused today';
}

function sumOf(counted: readonly OfDay[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}
