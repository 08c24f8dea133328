import { startOfDayMs, startOfHourMs } from '#base/schema';
import type { Block, BlockImpact, CountSums } from '#core/counting';
import { counterLines } from '../counter-states.ts';
import { evidenceLines } from './evidence-rows.ts';
import { impactLines } from './impact-rows.ts';
import { countMarkerLines, otherMarkerLines } from './marker-rows.ts';
import {
  COUNT_COLUMNS,
  MIXED_COLUMNS,
  lineOf,
  rangeOf,
  toDateTime64,
  toUInt64,
  toUInt64s,
} from './row-values.ts';
import { markersOf } from '../markers.ts';
import { sumRefusals } from './refusal-sums.ts';

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

/** The table that an INSERT of these blocks goes to, and its columns. Equal blocks always go to the same one. */
export function tableOf(blocks: readonly Block[]): {
  readonly table: string;
  readonly columns: readonly string[];
} {
  const isMixed = blocks.some((block) =>
    [otherLines(block), otherMarkerLines(block)].some((lines) => lines.next().done === false),
  );
  return isMixed
    ? { table: 'mixed_block_rows', columns: MIXED_COLUMNS }
    : { table: 'block_rows', columns: COUNT_COLUMNS };
}

/** The lines of a block, each without its opening bracket. */
function* blockLines(block: Block): Generator<string> {
  yield* countLines(block);
  yield* otherLines(block);
  yield* countMarkerLines(block);
  yield* otherMarkerLines(block);
  yield blockLine(block);
}

/** What only mixed_block_rows takes, besides its markers: reasons, senders, refusals, samples, counters and evidence. */
function* otherLines(block: Block): Generator<string> {
  yield* reasonLines(block);
  yield* senderLines(block);
  yield* refusalLines(block);
  yield* impactLines(block);
  yield* counterLines(block);
  yield* evidenceLines(block);
}

/** Lines may be shorter than the list of columns: missing values get their defaults. */
function* countLines({ sums }: Block): Generator<string> {
  const names = sums.names.map((name) => JSON.stringify(name));
  const groups = Array.from({ length: sums.groupCount }, (_, group) => {
    const [app, environment] = [names[sums.appOf(group)], names[sums.environmentOf(group)]];
    const times = `${startOfHourMs(sums.hourOf(group)) / 1000},${60 * sums.minuteOf(group)}`;
    return `${app ?? ''},${environment ?? ''},${times}`;
  });
  for (let row = 0; row < sums.rowCount; row += 1) {
    const key = `"count",${names[sums.featureOf(row)] ?? ''},${groups[sums.groupOf(row)] ?? ''}`;
    const counts = `${sums.yesOf(row)},${sums.noOf(row)},${sums.reportsOf(row)}`;
    yield `${key},${counts}${laterColumns(sums, { row, names })}]`;
  }
}

function* reasonLines({ sums, reasons }: Block): Generator<string> {
  const nameOf = (id: number | undefined): string => (id === undefined ? '' : (sums.names[id] ?? ''));
  for (const { feature, group, reason, errorType, provider, count } of reasons.sums.all()) {
    yield lineOf({
      kind: 'reason',
      feature_name: nameOf(feature),
      app_name: nameOf(sums.appOf(group)),
      environment: nameOf(sums.environmentOf(group)),
      hour: startOfHourMs(sums.hourOf(group)) / 1000,
      reports: count,
      reason: [{ reason: nameOf(reason), error_type: nameOf(errorType), provider: nameOf(provider) }],
    });
  }
}

/** Repeated rows change nothing, so they have no markers. */
function* senderLines({ senders }: Block): Generator<string> {
  for (const { token, feature, day } of senders)
    yield lineOf({
      kind: 'sender',
      feature_name: feature,
      app_name: token,
      hour: startOfDayMs(day) / 1000,
    });
}

function* refusalLines({ refusals }: Block): Generator<string> {
  for (const { kind, reason, featureName, appName, environment, ...refused } of refusals)
    yield lineOf({
      kind: 'refusal',
      feature_name: featureName,
      app_name: appName,
      environment,
      hour: Math.floor(refused.receivedAt / 1000),
      reports: refused.metrics,
      refusal: [{ kind, reason, token_id: refused.tokenId, sample: refused.sample }],
    });
}

/** What only some rows have: variants, and evaluations whose result is unknown. */
function laterColumns(sums: CountSums, of: { readonly row: number; readonly names: readonly string[] }) {
  const variants = variantColumns(sums, of);
  const unknown = sums.unknown.get(of.row);
  return unknown === undefined ? variants : `${variants || ',[],[]'},${unknown}`;
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
  const { range, tally, refusedByReason, days, minuteDays, batches, refusals, reasons } = block;
  const sums = [...days.values()];
  const refused = sumRefusals(refusals);
  const columns = {
    ...rangeOf(range),
    received_from: toDateTime64(block.receivedFrom),
    received_to: toDateTime64(block.receivedTo),
    appended_to: toDateTime64(block.appendedTo),
    ...tally,
    refused_reasons: [...refusedByReason.keys()],
    refused_counts: [...refusedByReason.values()],
    days: [...days.keys()],
    day_yes: sums.map(({ yes }) => toUInt64(yes)),
    day_no: sums.map(({ no }) => toUInt64(no)),
    day_unknown: sums.map(({ unknown }) => toUInt64(unknown)),
    day_reports: sums.map(({ reports }) => toUInt64(reports)),
    day_variants: sums.map(({ variants }) => toUInt64(variants)),
    refusal_days: [...refused.keys()],
    day_refusals: Array.from(refused.values(), ({ total }) => total),
    ...impactColumns(block.impact),
    reason_days: [...reasons.days.keys()],
    day_evaluations: Array.from(reasons.days.values(), toUInt64),
    minute_days: Array.from(minuteDays, ([day, ofDay]) => ({ day, ...toUInt64s(ofDay) })),
    spans: block.spans.map(({ appName, environment, instance, start, stop }) => ({
      app_name: appName,
      environment,
      instance,
      start: toDateTime64(start),
      stop: toDateTime64(stop),
    })),
    duplicate_batches: block.duplicateBatches,
    batch_ids: batches.map(({ batchId }) => batchId),
    batch_times: batches.map(({ receivedAt }) => toDateTime64(receivedAt)),
    markers: markersOf(block),
  };
  return lineOf({ kind: 'block', block: [columns] });
}

function impactColumns({ tally, days }: BlockImpact) {
  const sums = [...days.values()];
  return {
    samples_received: tally.received,
    samples_counted: tally.counted,
    samples_refused: tally.refused,
    samples_duplicate: tally.duplicate,
    impact_days: [...days.keys()],
    day_samples: sums.map(({ samples }) => toUInt64(samples)),
    day_totals: sums.map(({ total }) => total.toString()),
    day_observations: sums.map(({ observations }) => toUInt64(observations)),
  };
}
