import { type Block, type BlockImpact, type BlockRange, type CountSums, startOfHourMs } from '#counting';
import { IMPACT_COLUMNS, NO_IMPACT_COLUMNS, impactLines } from './impact-rows.ts';
import { NO_SERIES_COLUMNS, SERIES_COLUMNS, secondOfDay, seriesColumns } from './counter-states.ts';
import { markerLines } from './marker-rows.ts';
import { lineOf, toUInt64 } from './row-values.ts';
import { markersOf } from './markers.ts';
import { sumRefusals } from './refusal-sums.ts';

/** Columns of block_rows in the order of the lines below. An INSERT that leaves out targets has `stored_shares` before them. */
export const BLOCK_ROW_COLUMNS = [
  ...['kind', 'feature_name', 'app_name', 'environment', 'hour', 'yes', 'no', 'reports'],
  ...['variants', 'variant_counts', 'reason', 'refused_kind', 'token_id', 'sample', 'error_type', 'provider'],
  ...IMPACT_COLUMNS,
  ...['topic', 'epoch', 'partition', 'from_offset', 'to_offset'],
  ...SERIES_COLUMNS,
  ...['received_from', 'received_to', 'appended_to'],
  ...['received', 'counted', 'refused', 'duplicate', 'dead', 'refused_reasons', 'refused_counts'],
  ...['days', 'day_yes', 'day_no', 'day_reports', 'day_variants', 'refusal_days', 'day_refusals'],
  ...['samples_received', 'samples_counted', 'samples_refused', 'samples_duplicate'],
  ...['impact_days', 'day_samples', 'day_totals', 'day_observations', 'reason_days', 'day_evaluations'],
  ...['duplicate_batches', 'batch_ids', 'batch_times', 'marks'],
] as const;

/** Large enough that sending a piece costs little, and small enough that a large block is never in memory as text. */
const PIECE_LENGTH = 64 * 1024;

/**
 * The rows of blocks in JSONCompactEachRow, in pieces of whole lines. Each piece is made after the previous one was sent. With
 * `storedTargets` each row lists the targets that it must not go to again.
 */
export function* encodeBlocks(
  blocks: readonly Block[],
  storedTargets?: readonly string[],
): Generator<string> {
  const first = storedTargets === undefined ? '[' : `[${JSON.stringify(storedTargets)},`;
  let piece = '';
  for (const block of blocks) {
    for (const line of blockLines(block)) {
      piece += `${first}${line}\n`;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}

/** The lines of counts, reasons, refusals, samples, counters, markers and the block itself, each without its opening bracket. */
function* blockLines(block: Block): Generator<string> {
  yield* countLines(block);
  yield* reasonLines(block);
  for (const refusal of block.refusals) {
    const { kind, reason, featureName, appName, environment, metrics, tokenId, receivedAt, sample } = refusal;
    const second = Math.floor(receivedAt / 1000);
    const counts = ['refusal', featureName, appName, environment, second, 0, 0, metrics, [], []];
    yield lineOf([...counts, reason, kind, tokenId, sample]);
  }
  yield* impactLines(block);
  yield* seriesLines(block);
  yield* markerLines(block);
  yield blockLine(block);
}

/** Lines may be shorter than the list of columns: missing values get their defaults. */
function* countLines({ sums }: Block): Generator<string> {
  const names = sums.names.map((name) => JSON.stringify(name));
  const groups = Array.from({ length: sums.groupCount }, (_, group) => {
    const [app, environment] = [names[sums.appOf(group)], names[sums.environmentOf(group)]];
    return `${app ?? ''},${environment ?? ''},${startOfHourMs(sums.hourOf(group)) / 1000}`;
  });
  for (let row = 0; row < sums.rowCount; row += 1) {
    const key = `"count",${names[sums.featureOf(row)] ?? ''},${groups[sums.groupOf(row)] ?? ''}`;
    const counts = `${sums.yesOf(row)},${sums.noOf(row)},${sums.reportsOf(row)}`;
    yield `${key},${counts}${variantColumns(sums, { row, names })}]`;
  }
}

function* reasonLines({ sums, reasons }: Block): Generator<string> {
  const nameOf = (id: number | undefined): string => (id === undefined ? '' : (sums.names[id] ?? ''));
  for (const { feature, group, reason, errorType, provider, count } of reasons.sums.all()) {
    const [app, environment] = [nameOf(sums.appOf(group)), nameOf(sums.environmentOf(group))];
    const key = ['reason', nameOf(feature), app, environment, startOfHourMs(sums.hourOf(group)) / 1000];
    const outcome = [nameOf(reason), '', '', '', nameOf(errorType), nameOf(provider)];
    yield lineOf([...key, 0, 0, count, [], [], ...outcome]);
  }
}

function* seriesLines({ range, series }: Block): Generator<string> {
  for (const change of series) {
    const columns = ['counter', '', '', '', secondOfDay(change), 0, 0, 0, [], [], '', '', '', '', '', ''];
    yield lineOf([...columns, ...NO_IMPACT_COLUMNS, ...rangeColumns(range), ...seriesColumns(change)]);
  }
}

function variantColumns(
  sums: CountSums,
  { row, names }: { readonly row: number; readonly names: readonly string[] },
): string {
  const first = sums.firstVariantOf(row);
  if (first < 0) return '';
  let variants = names[sums.nameOfVariant(first)] ?? '';
  let counts = String(sums.countOfVariant(first));
  for (let at = sums.nextVariant(first); at >= 0; at = sums.nextVariant(at)) {
    variants += `,${names[sums.nameOfVariant(at)] ?? ''}`;
    counts += `,${sums.countOfVariant(at)}`;
  }
  return `,[${variants}],[${counts}]`;
}

function blockLine(block: Block): string {
  const { range, tally, refusedByReason, days, batches, refusals } = block;
  const sums = [...days.values()];
  const refused = sumRefusals(refusals);
  const columns: unknown[] = [
    ...['block', '', '', '', 0, 0, 0, 0, [], [], '', '', '', '', '', '', ...NO_IMPACT_COLUMNS],
    ...rangeColumns(range),
    ...NO_SERIES_COLUMNS,
    ...[block.receivedFrom, block.receivedTo, block.appendedTo].map(toDateTime64),
    ...[tally.received, tally.counted, tally.refused, tally.duplicate, tally.dead],
    [...refusedByReason.keys()],
    [...refusedByReason.values()],
    [...days.keys()],
    sums.map(({ yes }) => toUInt64(yes)),
    sums.map(({ no }) => toUInt64(no)),
    sums.map(({ reports }) => toUInt64(reports)),
    sums.map(({ variants }) => toUInt64(variants)),
    [...refused.keys()],
    Array.from(refused.values(), ({ total }) => total),
    ...impactColumns(block.impact),
    [...block.reasons.days.keys()],
    Array.from(block.reasons.days.values(), toUInt64),
    block.duplicateBatches,
    batches.map(({ batchId }) => batchId),
    batches.map(({ receivedAt }) => toDateTime64(receivedAt)),
    markersOf(block),
  ];
  return lineOf(columns);
}

function impactColumns({ tally, days }: BlockImpact): unknown[] {
  const sums = [...days.values()];
  return [
    ...[tally.received, tally.counted, tally.refused, tally.duplicate],
    [...days.keys()],
    sums.map(({ samples }) => toUInt64(samples)),
    sums.map(({ total }) => total.toString()),
    sums.map(({ observations }) => toUInt64(observations)),
  ];
}

function rangeColumns({ topic, epoch, partition, from, to }: BlockRange): unknown[] {
  return [topic, epoch, partition, from.toString(), to.toString()];
}

function toDateTime64(epochMs: number): string {
  return (epochMs / 1000).toFixed(3);
}
