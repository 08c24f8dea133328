import { type Block, type CountRow, startOfHourMs } from '#domain';

/** Columns of block_rows in the order of the lines below. */
export const BLOCK_ROW_COLUMNS = [
  ...['kind', 'feature_name', 'app_name', 'environment', 'hour', 'yes', 'no', 'reports'],
  ...['variants', 'variant_counts', 'reason', 'refused_kind', 'token_id', 'sample'],
  ...['topic', 'epoch', 'partition', 'from_offset', 'to_offset', 'received_from', 'received_to'],
  ...['received', 'counted', 'refused', 'duplicate', 'dead', 'refused_reasons', 'refused_counts'],
  ...['days', 'day_yes', 'day_no', 'day_variants', 'duplicate_batches', 'batch_ids', 'batch_times'],
] as const;

/** Large enough that sending a piece costs little, small enough that a block of any size is never held as text. */
const PIECE_LENGTH = 64 * 1024;

/** The rows of blocks in JSONCompactEachRow, in pieces of whole lines: made only when the one before has been sent. */
export function* encodeBlocks(blocks: readonly Block[]): Generator<string> {
  let piece = '';
  for (const block of blocks) {
    for (const line of blockLines(block)) {
      piece += `${line}\n`;
      if (piece.length < PIECE_LENGTH) continue;
      yield piece;
      piece = '';
    }
  }
  if (piece !== '') yield piece;
}

/** A line for each of these: counts, then refusals, then the block itself. */
function* blockLines(block: Block): Generator<string> {
  yield* countLines(block);
  for (const refusal of block.refusals) {
    const { kind, reason, featureName, appName, environment, metrics, tokenId, receivedAt, sample } = refusal;
    const second = Math.floor(receivedAt / 1000);
    const counts = ['refusal', featureName, appName, environment, second, 0, 0, metrics, [], []];
    yield JSON.stringify([...counts, reason, kind, tokenId, sample]);
  }
  yield blockLine(block);
}

/** Lines end early: what is left out takes its default. */
function* countLines({ sums }: Block): Generator<string> {
  const names = sums.names.map((name) => JSON.stringify(name));
  for (const { appId, environmentId, hour, rows } of sums.groups) {
    const group = `${names[appId] ?? ''},${names[environmentId] ?? ''},${startOfHourMs(hour) / 1000}`;
    for (const [featureId, first] of rows) {
      const key = `["count",${names[featureId] ?? ''},${group}`;
      for (let row: CountRow | undefined = first; row !== undefined; row = row.spill) {
        yield `${key},${row.yes},${row.no},${row.reports}${variantColumns(row, names)}]`;
      }
    }
  }
}

function variantColumns({ variants }: CountRow, names: readonly string[]): string {
  if (variants === undefined) return '';
  const variantNames = Array.from(variants.keys(), (id) => names[id]);
  return `,[${variantNames.join(',')}],[${[...variants.values()].join(',')}]`;
}

function blockLine(block: Block): string {
  const { range, tally, refusedByReason, days, batches } = block;
  const sums = [...days.values()];
  const columns: unknown[] = [
    ...['block', '', '', '', 0, 0, 0, 0, [], [], '', '', '', ''],
    ...[range.topic, range.epoch, range.partition, range.from.toString(), range.to.toString()],
    ...[toDateTime64(block.receivedFrom), toDateTime64(block.receivedTo)],
    ...[tally.received, tally.counted, tally.refused, tally.duplicate, tally.dead],
    [...refusedByReason.keys()],
    [...refusedByReason.values()],
    [...days.keys()],
    sums.map(({ yes }) => toUInt64(yes)),
    sums.map(({ no }) => toUInt64(no)),
    sums.map(({ variants }) => toUInt64(variants)),
    block.duplicateBatches,
    batches.map(({ batchId }) => batchId),
    batches.map(({ receivedAt }) => toDateTime64(receivedAt)),
  ];
  return JSON.stringify(columns);
}

function toDateTime64(epochMs: number): string {
  return (epochMs / 1000).toFixed(3);
}

/** Wraps like the sums of ClickHouse do, so that both sides of the accounting stay comparable. */
function toUInt64(sum: bigint): string {
  return BigInt.asUintN(64, sum).toString();
}
