import { startOfHourMs } from '#base/schema';
import type { CountSums } from '#core/counting';
import { bytesOf } from '#unleash/client';
import { MAX_ITEM_BYTES, splitByBody } from './bodies.ts';

/** A metric in the form of Unleash (docs/develop/unleash.md#pushes-of-edge). */
export type Row = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  /** Start of the hour, ISO 8601. */
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
};

export type CountsPost = {
  readonly kind: 'counts';
  readonly environment: string;
  readonly rows: readonly Row[];
};

/** Why a row, or one of its variants, is in no post. */
export type RowProblem = 'no_evaluations' | 'unknown_result' | 'name' | 'too_many_variants';

/** The lengths of Unleash's columns, in characters. */
const MAX_NAME = 255;
const MAX_ENVIRONMENT = 100;

/**
 * The posts of a block. The list depends only on the block, because another process may continue in the middle of it. Each post
 * is for one environment: Unleash drops rows of other environments than the token's.
 */
export function countsPostsOf(
  sums: CountSums,
  onLeftOut: (problem: RowProblem) => void = () => undefined,
): CountsPost[] {
  const rows: Row[] = [];
  for (let index = 0; index < sums.rowCount; index += 1) {
    const row = readRow(sums, index);
    const hasUnknown = sums.unknown.has(index);
    // Unleash has yes and no only, and neither was said.
    if (hasUnknown) onLeftOut('unknown_result');
    const problem = problemOf(row);
    if (problem === undefined) rows.push(fitting(row, onLeftOut));
    else if (problem !== 'no_evaluations' || !hasUnknown) onLeftOut(problem);
  }
  return splitByBody(rows).map(({ environment, part }) => ({ kind: 'counts', environment, rows: part }));
}

export function evaluationsOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { yes, no }) => sum + yes + no, 0);
}

function readRow(sums: CountSums, index: number): Row {
  const group = sums.groupOf(index);
  const variants: [string, number][] = [];
  for (let at = sums.firstVariantOf(index); at >= 0; at = sums.nextVariant(at))
    variants.push([sums.names[sums.nameOfVariant(at)] ?? '', sums.countOfVariant(at)]);
  return {
    featureName: sums.names[sums.featureOf(index)] ?? '',
    appName: sums.names[sums.appOf(group)] ?? '',
    environment: sums.names[sums.environmentOf(group)] ?? '',
    timestamp: new Date(startOfHourMs(sums.hourOf(group))).toISOString(),
    yes: sums.yesOf(index),
    no: sums.noOf(index),
    variants: Object.fromEntries(variants),
  };
}

/** Unleash drops rows without evaluations. One name that is too long for its column costs it the rows of all clients. */
function problemOf({ featureName, appName, environment, yes, no, variants }: Row): RowProblem | undefined {
  if (yes === 0 && no === 0) return 'no_evaluations';
  const names = [featureName, appName, ...Object.keys(variants)];
  const fits = names.every((name) => fitsColumn(name, MAX_NAME)) && fitsColumn(environment, MAX_ENVIRONMENT);
  return fits ? undefined : 'name';
}

function fitsColumn(name: string, maxLength: number): boolean {
  return name !== '' && !name.includes('\0') && Array.from(name).length <= maxLength;
}

/** The row with as many of its variants as fit into a body. */
function fitting(row: Row, onLeftOut: (problem: RowProblem) => void): Row {
  let room = MAX_ITEM_BYTES - bytesOf({ ...row, variants: {} });
  const kept = Object.entries(row.variants).filter(([name, count]) => {
    room -= bytesOf({ [name]: count });
    if (room < 0) onLeftOut('too_many_variants');
    return room >= 0;
  });
  return kept.length === Object.keys(row.variants).length
    ? row
    : { ...row, variants: Object.fromEntries(kept) };
}
