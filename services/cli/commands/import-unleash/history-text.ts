import type { DayDifference, HistoryReport, SourceDay } from '#unleash/history';
import { amountOf } from '#base/runtime';
import { alignRight } from '../../columns.ts';

const MAX_DIFFERENCES = 100;

/** Formats what an import added, or would add. */
export function historyText(report: HistoryReport, isDone: boolean): string {
  return [
    ...earlierText(report, isDone),
    ...daysText(report, isDone),
    ...leftOutText(report),
    ...differencesText(report),
    isDone ? 'Done.' : 'Nothing was changed. Add --yes to import it.',
  ].join('\n');
}

function earlierText({ earlier }: HistoryReport, isDone: boolean): string[] {
  return earlier.map(({ number, from, before, days, messages, storedTo }) => {
    const rest =
      storedTo < messages
        ? `; it was interrupted: ${storedTo} of ${amountOf(messages, 'message')} counted`
        : '';
    const help = rest === '' || isDone ? '' : ', --yes counts the others';
    return `Import ${number} holds ${amountOf(days.length, 'day')} from ${isoHour(from)} to ${isoHour(before)}${rest}${help}.`;
  });
}

function daysText(
  { range, firstHour, plan, names, received, counted, refused }: HistoryReport,
  isDone: boolean,
) {
  const end = endText(range.before, firstHour);
  if (plan.days.length === 0)
    return [`Unleash has nothing to import from ${isoHour(range.from)} to ${isoHour(range.before)} ${end}.`];
  const header = ['day', 'from', 'rows', 'yes', 'no', 'variants'];
  const { features, applications, environments } = names;
  const refusals = Array.from(refused, ([reason, rows]) => `  refused ${reason}: ${rows}`);
  return [
    `From ${isoHour(range.from)} to ${isoHour(range.before)} ${end}:`,
    ...alignRight([header, ...plan.days.map(cellsOf)]),
    `${amountOf(plan.days.length, 'day')}, ${amountOf(features, 'feature')}, ${amountOf(applications, 'application')}, ${amountOf(environments, 'environment')}, ${amountOf(evaluationsOf(plan.days), 'evaluation')}.`,
    `${amountOf(received, 'row')} of Unleash ${isDone ? 'imported' : 'to import'}: ${counted} counted, ${received - counted} refused.`,
    ...refusals,
  ];
}

function endText(before: number, firstHour: number | undefined): string {
  if (firstHour === undefined) return '(flagmeter has counted nothing yet)';
  if (firstHour === before) return '(the first hour that flagmeter counted)';
  if (firstHour > before) return `(flagmeter counted first in the hour of ${isoHour(firstHour)})`;
  return `(WARNING: flagmeter counted from ${isoHour(firstHour)} on; what both have from then on counts twice)`;
}

function cellsOf({ day, source, rows, yes, no, variants }: SourceDay): string[] {
  return [day, source, ...[rows, yes, no, variants].map(String)];
}

function evaluationsOf(days: readonly SourceDay[]): bigint {
  return days.reduce((sum, { yes, no }) => sum + yes + no, 0n);
}

function leftOutText({ plan, range }: HistoryReport): string[] {
  const { tooOld, imported, later, otherTable } = plan.leftOut;
  const lines: [number, string][] = [
    [tooOld, `older than the retention of days (before ${isoHour(range.oldest)})`],
    [imported, 'from before the end of the last import'],
    [later, `from ${isoHour(range.before)} on, or of days that reach beyond it`],
    [otherTable, 'of days that come from the other table of Unleash'],
  ];
  return lines.flatMap(([rows, reason]) =>
    rows === 0 ? [] : [`Left out: ${amountOf(rows, 'row')} ${reason}.`],
  );
}

function differencesText({ differences }: HistoryReport): string[] {
  if (differences.length === 0) return [];
  const shown = differences.slice(0, MAX_DIFFERENCES).map(differenceText);
  const rest = differences.length - shown.length;
  return [
    `Unleash has more than was imported on ${amountOf(differences.length, 'day')}. The difference is not imported:`,
    ...shown,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

function differenceText({ day, imported, now }: DayDifference): string {
  const text = ({ rows, yes, no, variants }: DayDifference['now']): string =>
    `${amountOf(rows, 'row')}, yes ${yes}, no ${no}, variants ${variants}`;
  return `  ${day}: imported ${text(imported)}; Unleash has ${text(now)}`;
}

/** Dates have no milliseconds here, because all times are whole hours. */
function isoHour(ms: number): string {
  return new Date(ms).toISOString().replace('.000', '');
}
