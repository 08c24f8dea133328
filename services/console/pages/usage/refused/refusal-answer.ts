import { formatPlural } from '../../../state/format.ts';

type OfDay = { readonly day: string; readonly count: number };

type Known = {
  readonly refusals: readonly (OfDay & { readonly kind: string })[];
  readonly rejectedBodies: readonly OfDay[];
  /** How many bodies were rejected. Only the newest ones are listed. */
  readonly total: number;
  readonly today: string;
  /** Whether there may be more refusals of today. */
  readonly isCut: boolean;
};

/** Answers the question what was not counted today (UTC). */
export function refusalAnswer({ refusals, rejectedBodies, total, today, isCut }: Known): string {
  const isToday = ({ day }: OfDay): boolean => day === today;
  const ofToday = refusals.filter(isToday);
  const ofKind = (kind: string) => ofToday.filter((refusal) => refusal.kind === kind);
  const [metrics, applications] = [sumOf(ofKind('metric')), sumOf(ofKind('application'))];
  const bodies = sumOf(rejectedBodies.filter(isToday));
  const fromBodies = rejectedBodies.length < total && rejectedBodies.every(isToday) ? 'at least ' : '';
  const from = isCut ? 'At least ' : '';
  const parts = [
    ...(metrics > 0 ? [`${from}${formatPlural(metrics, 'metric was', 'metrics were')} not counted`] : []),
    ...(metrics === 0 && applications > 0
      ? [`${from}${formatPlural(applications, 'application was', 'applications were')} not registered`]
      : []),
    ...(bodies > 0 ? [`${fromBodies}${formatPlural(bodies, 'body was', 'bodies were')} not accepted`] : []),
  ];
  const [first = '', ...others] = parts;
  if (parts.length > 0) return `${[capital(first), ...others].join(', and ')} today`;
  return refusals.length + rejectedBodies.length === 0 ? 'Nothing was refused' : 'Nothing was refused today';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sumOf(counted: readonly OfDay[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}
