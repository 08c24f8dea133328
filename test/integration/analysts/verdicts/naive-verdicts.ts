type Evaluations = { readonly app: string; readonly yes: number; readonly no: number };
type Variants = { readonly app: string; readonly variant: string; readonly count: number };
type OfDay = { readonly daysAgo: number };
type OfHour = { readonly hoursAgo: number };

/** All counts of a feature: 1 is the last complete day or hour, 0 the current one. */
export type PastOfFeature = {
  /** Hours ago. */
  readonly seen: { readonly first: number; readonly last: number };
  readonly days: readonly (OfDay & Evaluations)[];
  readonly hours: readonly (OfHour & Evaluations)[];
  readonly variantsOfDays: readonly (OfDay & Variants)[];
  readonly variantsOfHours: readonly (OfHour & Variants)[];
};

/**
 * The verdicts of an existing feature according to the definitions of docs/use/analysts/views.md. The moment lies in the first
 * hour after the last complete one. One row after another.
 */
export function verdictsOf(past: PastOfFeature, at: number): string[] {
  // There are no verdicts before the first complete hour.
  if (past.seen.first < 1) return [];
  const holds = {
    always_off: hasRunLong(past, at) && sum(lastDays(past, 30), ({ yes }) => yes) === 0,
    always_on: hasRunLong(past, at) && sum(lastDays(past, 30), ({ no }) => no) === 0,
    cliff: isCliff(past),
    drift: isDrift(past),
    silent: past.seen.last > 7 * 24,
    sum_check: isSumWrong(past),
  };
  return Object.entries(holds).flatMap(([verdict, is]) => (is ? [verdict] : []));
}

function lastDays({ days }: PastOfFeature, max: number): (OfDay & Evaluations)[] {
  return days.filter(({ daysAgo }) => daysAgo >= 1 && daysAgo <= max);
}

function hasRunLong(past: PastOfFeature, at: number): boolean {
  const firstDay = startOfDay(at - past.seen.first * 3_600_000);
  const isOld = firstDay <= startOfDay(at) - 30 * 86_400_000;
  return isOld && sum(lastDays(past, 30), ({ yes, no }) => yes + no) > 1000;
}

function isCliff({ hours }: PastOfFeature): boolean {
  const between = (from: number, to: number): number =>
    sum(
      hours.filter(({ hoursAgo }) => hoursAgo >= from && hoursAgo <= to),
      ({ yes, no }) => yes + no,
    );
  const before = between(169, 174);
  return before >= 1000 && between(1, 6) < before / 2;
}

function isDrift({ variantsOfHours }: PastOfFeature): boolean {
  const recent = variantsOfHours.filter(({ hoursAgo }) => hoursAgo >= 1 && hoursAgo <= 12);
  const earlier = variantsOfHours.filter(({ hoursAgo }) => hoursAgo >= 13 && hoursAgo <= 180);
  const totals = [recent, earlier].map((rows) => sum(rows, ({ count }) => count));
  if (Math.min(...totals) < 1000) return false;
  const shareOf = (rows: readonly Variants[], variant: string): number => {
    const served = sum(
      rows.filter((row) => row.variant === variant),
      ({ count }) => count,
    );
    return Math.max(served / sum(rows, ({ count }) => count), 0.0001);
  };
  const served = [...recent, ...earlier].filter(({ count }) => count > 0);
  const names = new Set(served.map(({ variant }) => variant));
  const index = sum(Array.from(names), (variant) => {
    const now = shareOf(recent, variant);
    const before = shareOf(earlier, variant);
    return (now - before) * Math.log(now / before);
  });
  return index > 0.2;
}

function isSumWrong({ days, variantsOfDays }: PastOfFeature): boolean {
  return variantsOfDays
    .filter(({ daysAgo }) => daysAgo >= 1 && daysAgo <= 7)
    .some(({ daysAgo, app }) => {
      const isSame = (row: OfDay & { app: string }): boolean => row.daysAgo === daysAgo && row.app === app;
      const served = sum(variantsOfDays.filter(isSame), ({ count }) => count);
      return served > sum(days.filter(isSame), ({ yes, no }) => yes + no);
    });
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function startOfDay(time: number): number {
  return Math.floor(time / 86_400_000) * 86_400_000;
}
