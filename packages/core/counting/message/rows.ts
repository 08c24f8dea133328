import type { ByteWriter } from '../encoding/byte-writer.ts';
import type { CountSums } from '../sums/count-sums.ts';
import type { ReadableSums } from '../sums/readable-sums.ts';

// The rows of a message, as numbers one after the other. A row holds its feature (index into the names), group, reports, yes, no and number of
// variants, and then a name and a count for each variant.

/** The numbers of a row before its variants. */
const WIDTH = 6;

export function writeRow(writer: ByteWriter, sums: ReadableSums, row: number): void {
  writer.number(sums.featureOf(row));
  writer.number(sums.groupOf(row));
  writer.number(sums.reportsOf(row));
  writer.number(sums.yesOf(row));
  writer.number(sums.noOf(row));
  const first = sums.firstVariantOf(row);
  let count = 0;
  for (let at = first; at >= 0; at = sums.nextVariant(at)) count += 1;
  writer.number(count);
  for (let at = first; at >= 0; at = sums.nextVariant(at)) {
    writer.number(sums.nameOfVariant(at));
    writer.number(sums.countOfVariant(at));
  }
}

/** Sum of the reports of all rows; undefined if a row refers to a missing name or group, or is incomplete. */
export function reportsOf(rows: readonly number[], names: number, groups: number): number | undefined {
  let reports = 0;
  let i = 0;
  while (i < rows.length) {
    const variants = i + WIDTH;
    const end = variants + 2 * Number(rows[variants - 1]);
    if (!(end <= rows.length) || Number(rows[i]) >= names || Number(rows[i + 1]) >= groups) return undefined;
    reports += Number(rows[i + 2]);
    for (let variant = variants; variant < end; variant += 2)
      if (Number(rows[variant]) >= names) return undefined;
    i = end;
  }
  return reports;
}

/** Adds rows that `reportsOf` has checked. `ids` are those that the names and groups of the message have in the sums. */
export function addRows(
  sums: CountSums,
  rows: readonly number[],
  ids: { readonly names: readonly number[]; readonly groups: readonly number[] },
): void {
  for (let i = 0; i < rows.length;) {
    sums.select(at(ids.groups, at(rows, i + 1)), at(ids.names, at(rows, i)));
    sums.add(at(rows, i + 2), at(rows, i + 3), at(rows, i + 4));
    const end = i + WIDTH + 2 * at(rows, i + WIDTH - 1);
    for (i += WIDTH; i < end; i += 2) sums.addVariant(at(ids.names, at(rows, i)), at(rows, i + 1));
  }
}

/** An item that exists, because decodeCounts has checked it. */
export function at<T>(items: readonly T[], index: number): T {
  const item = items[index];
  if (item === undefined) throw new RangeError('index outside a checked message');
  return item;
}
