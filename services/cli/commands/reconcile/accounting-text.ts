import type { AccountingDocument } from '#core/accounting';
import { alignRight } from '../../columns.ts';

type Numbers = AccountingDocument['total'];

const COLUMNS = [
  ['received', 'received'],
  ['counted', 'counted'],
  ['refused', 'refused'],
  ['duplicate', 'duplicate'],
  ['dead', 'dead'],
  ['inFlight', 'in flight'],
] as const;
const FAULTS = [
  ['gaps', 'gaps'],
  ['overlaps', 'overlaps'],
] as const;

/** Formats the accounting for people: a table of the partitions, the refusals by reason, the differences, the result. */
export function accountingText(document: AccountingDocument): string {
  const { partitions, total, since, differences } = document;
  const header = ['epoch', 'partition', ...[...COLUMNS, ...FAULTS].map(([, title]) => title)];
  const rows = partitions.map((numbers) => [
    String(numbers.epoch),
    String(numbers.partition),
    ...cellsOf(numbers),
  ]);
  return [
    ...(since === null ? [] : [`Blocks stored since ${since}, and days that began since.`, '']),
    ...alignRight([header, ...rows, ['', 'total', ...cellsOf(total)]]),
    '',
    `received = counted + refused + duplicate + dead: ${equationOf(total)}`,
    ...Object.entries(total.refusedByReason).map(
      ([reason, count]) => `  refused ${reason}: ${format(count)}`,
    ),
    ...samplesText(total.samples),
    ...deadLettersText(document.deadLetters),
    ...importedText(document.imported),
    ...beingStoredIn(document).map(
      ({ day, table, beingStored }) => `  ${day} ${table}: ${beingStored.join('/')} being stored`,
    ),
    ...differences.map(({ subject, text }) => `  ${subject}: ${text}`),
    resultOf(document),
  ].join('\n');
}

function samplesText({ received, counted, refused, duplicate }: Numbers['samples']): string[] {
  if (received === 0) return [];
  const explained = [counted, refused, duplicate].map(format).join(' + ');
  return [
    `samples of impact metrics: received = counted + refused + duplicate: ${format(received)} = ${explained}`,
  ];
}

function deadLettersText({
  dead,
  open,
  replayed,
  dropped,
  ...metrics
}: AccountingDocument['deadLetters']): string[] {
  if (dead + replayed + dropped === 0) return [];
  const { received, counted, refused, duplicate } = metrics;
  const fates = `dead letters = open + replayed + dropped: ${dead} = ${open} + ${replayed} + ${dropped}`;
  if (replayed === 0) return [fates];
  const replays = `${received} = ${counted} + ${refused} + ${duplicate}`;
  return [fates, `  replayed: received = counted + refused + duplicate: ${replays}`];
}

function importedText({
  received,
  counted,
  refused,
  refusedByReason,
}: AccountingDocument['imported']): string[] {
  if (received === 0) return [];
  return [
    `imported from Unleash: received = counted + refused: ${[received, counted].map(format).join(' = ')} + ${format(refused)}`,
    ...Object.entries(refusedByReason).map(([reason, rows]) => `  refused ${reason}: ${format(rows)}`),
  ];
}

function cellsOf(numbers: Numbers): string[] {
  return [...COLUMNS, ...FAULTS].map(([name]) => format(numbers[name]));
}

function equationOf({ received, counted, refused, duplicate, dead }: Numbers): string {
  return `${format(received)} = ${[counted, refused, duplicate, dead].map(format).join(' + ')}`;
}

function resultOf(document: AccountingDocument): string {
  const { isBalanced, days, differences } = document;
  const isStoring = beingStoredIn(document).length > 0;
  const count = new Set(days.map(({ day }) => day)).size;
  return isBalanced
    ? `The accounting agrees: blocks cover the log exactly once, and blocks and tables hold the same sums on ${plural(count, 'day')}${isStoring ? ', apart from blocks that are being stored' : ''}.`
    : `The accounting differs: ${plural(differences.length, 'difference')}.`;
}

/** Days with sums that only one of blocks and table has yet. */
function beingStoredIn({ days }: AccountingDocument): AccountingDocument['days'] {
  return days.filter(({ beingStored }) => beingStored.some((sum) => sum !== '0'));
}

function plural(count: number, noun: string): string {
  return `${format(count)} ${noun}${count === 1 ? '' : 's'}`;
}

const TIME_WIDTH = 8;
const CELL_WIDTH = 16;

/** The header above the lines of --watch. */
export const WATCH_HEADER = [
  'UTC'.padEnd(TIME_WIDTH),
  ...COLUMNS.map(([, title]) => title.padStart(CELL_WIDTH)),
  'result',
].join('  ');

/** Formats one reading as one line, with the change since the previous reading. */
export function watchLine(document: AccountingDocument, before: AccountingDocument | undefined): string {
  const { at, total, isBalanced, differences } = document;
  const cells = COLUMNS.map(([name]) => {
    const change = before === undefined ? 0 : total[name] - before.total[name];
    const shown = change === 0 ? '' : ` (${change > 0 ? '+' : ''}${format(change)})`;
    return `${format(total[name])}${shown}`.padStart(CELL_WIDTH);
  });
  const result = isBalanced
    ? `agrees${beingStoredIn(document).length > 0 ? ', being stored' : ''}`
    : `differs: ${differences.map(({ subject, text }) => `${subject}: ${text}`).join('; ')}`;
  return [at.slice(11, 19), ...cells, result].join('  ');
}

function format(value: number): string {
  return value.toLocaleString('en-US');
}
