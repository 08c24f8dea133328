import { CountSums, NO_MINUTE } from '../sums/count-sums.ts';
import { dayOf } from '#base/schema';
import type { RefusalReason } from '../refusals.ts';
import { type BlockReasons, sumReasons } from '../evaluations/block-reasons.ts';
import { type Evidence, TrustedSums } from '../message/trusted-sums.ts';
import { type FeatureSender, FeatureSenders } from '../evaluations/feature-senders.ts';
import { ReasonSums } from '../evaluations/reason-sums.ts';
import { type BlockImpact, ImpactSums } from '../impact/impact-sums.ts';
import { refusedOf } from '../message/counts-message.ts';
import { decodeCounts } from '../message/decode-counts.ts';
import type { BucketSpan } from '../message/bucket-span.ts';
import type { SeriesChange } from '../series/known-series.ts';
import type { SeriesOfBlock } from '../series/series-of-block.ts';
import type { SeriesStates } from '../series/series-states.ts';
import { addMessage } from '../message/add-message.ts';
import { type BlockRefusal, BlockRefusals } from './block-refusals.ts';
import { type SumsByTime, sumTimes } from './time-sums.ts';
import type { CountedBatch, DuplicateWindow } from './duplicates.ts';
import type { BlockEnd } from './recent-blocks.ts';

/** The range [from, to) of consecutive messages of one partition that one INSERT stores. */
export type BlockRange = {
  readonly topic: string;
  /** Grows when the topic is created again, so that new offsets differ from the offsets of the old topic. */
  readonly epoch: number;
  readonly partition: number;
  readonly from: bigint;
  readonly to: bigint;
};

/** A message of the log, as the worker reads it. */
export type LogMessage = {
  readonly offset: bigint;
  readonly value: Uint8Array | null;
  /** Time of the append by the broker's clock, epoch milliseconds. */
  readonly appendedAt: number;
};

export type DeadLetter = {
  readonly offset: bigint;
  readonly value: Uint8Array | null;
  readonly problem: string;
  /** Time of the append by the broker's clock, epoch milliseconds. */
  readonly appendedAt: number;
};

/** Metrics of one block by their outcome. A message that cannot be decoded counts as one metric. */
export type Tally = {
  received: number;
  counted: number;
  refused: number;
  duplicate: number;
  dead: number;
};

/** What earlier blocks of the partition have counted. */
export type BlockHistory = {
  readonly duplicates: DuplicateWindow;
  /** Undefined if nothing is known: then points of counters that add up from their start are refused. */
  readonly series?: SeriesStates;
  /** False if nobody reads the minutes in which the evaluations arrived. Otherwise rows differ by them. */
  readonly hasMinutes?: boolean;
};

/** What one INSERT stores: a pure function of the messages and of what earlier blocks counted. */
export type Block = SumsByTime & {
  readonly range: BlockRange;
  readonly sums: CountSums;
  readonly refusals: readonly BlockRefusal[];
  readonly tally: Tally;
  readonly refusedByReason: ReadonlyMap<RefusalReason, number>;
  readonly impact: BlockImpact;
  readonly reasons: BlockReasons;
  readonly series: readonly SeriesChange[];
  readonly senders: readonly FeatureSender[];
  readonly evidence: readonly Evidence[];
  /** The times of instances whose counts the block has. */
  readonly spans: readonly BucketSpan[];
  readonly batches: readonly CountedBatch[];
  readonly duplicateBatches: number;
  readonly deadLetters: readonly DeadLetter[];
  /** Receipt times of the messages, epoch milliseconds; the append times of those that could not be decoded. */
  readonly receivedFrom: number;
  readonly receivedTo: number;
  /** Append time of the last message, epoch milliseconds; 0 without messages. */
  readonly appendedTo: number;
};

/** The token by which ClickHouse recognises an INSERT that it has already stored. */
export function deduplicationToken({ topic, epoch, partition, from, to }: BlockRange): string {
  return `${topic}:${epoch}:${partition}:${from.toString()}:${to.toString()}`;
}

/** A block has at most this many links to traces, the default limit of OpenTelemetry. */
const MAX_TRACES = 128;

/**
 * Decodes the messages of a range, drops duplicates and adds up the rest. The caller calls `remember` after storing the block.
 * `traces` are the traceparents of its sampled messages; they are not part of the block.
 */
export function buildBlock(
  range: BlockRange,
  messages: readonly LogMessage[],
  history: BlockHistory,
): { block: Block; remember: () => void; traces: readonly string[] } {
  const { sums, impact, reasons, refusals, senders, trusted, ofSeries, receipts, traces, ...content } = addUp(
    messages,
    history,
  );
  const block = {
    range,
    sums,
    ...content,
    ...refusals.result(),
    ...sumTimes(sums),
    impact: impact.result(),
    series: ofSeries?.changes() ?? [],
    senders: senders.all(),
    evidence: trusted.all(),
    reasons: sumReasons(reasons, (group) => sums.hourOf(group)),
    ...extentOf(receipts),
  };
  return {
    block,
    remember: () => {
      history.duplicates.remember({ batches: block.batches, ...endOf(block) });
      history.series?.remember(block.series);
    },
    traces,
  };
}

function addUp(messages: readonly LogMessage[], { duplicates, series, hasMinutes = true }: BlockHistory) {
  const isNew = duplicates.begin();
  const [sums, impact, reasons] = [new CountSums(), new ImpactSums(), new ReasonSums()];
  const tally: Tally = { received: 0, counted: 0, refused: 0, duplicate: 0, dead: 0 };
  const [refusals, senders, trusted] = [new BlockRefusals(), new FeatureSenders(), new TrustedSums()];
  const batches: CountedBatch[] = [];
  const spans: BucketSpan[] = [];
  const [deadLetters, receipts, traces]: [DeadLetter[], number[], string[]] = [[], [], []];
  let duplicateBatches = 0;
  let ofSeries: SeriesOfBlock | undefined;
  const appendedTo = messages.at(-1)?.appendedAt ?? 0;
  for (const { offset, value, appendedAt } of messages) {
    const decoded = decodeCounts(value);
    if ('problem' in decoded) {
      deadLetters.push({ offset, value, problem: decoded.problem, appendedAt });
      receipts.push(appendedAt);
      tally.received += 1;
      tally.dead += 1;
      continue;
    }
    const { message } = decoded;
    const { batchId, receivedAt, tokenId, traceparent } = message;
    receipts.push(receivedAt);
    tally.received += message.received;
    if (!isNew({ batchId, receivedAt })) {
      duplicateBatches += 1;
      tally.duplicate += message.received;
      impact.addDuplicate(message.impact);
      continue;
    }
    batches.push({ batchId, receivedAt });
    if (message.span !== undefined) spans.push(message.span);
    if (traces.length < MAX_TRACES && isSampled(traceparent)) traces.push(traceparent);
    // A block without points changes nothing of the series, not even what is forgotten.
    if (message.points.length > 0) ofSeries ??= series?.begin(appendedTo);
    // It is bounded, because days in the future of an ingest process that is ahead would never be deleted.
    const arrivedAt = Math.min(receivedAt, appendedAt);
    const minute = hasMinutes ? minuteOf(arrivedAt, appendedTo) : NO_MINUTE;
    const refusedHere = addMessage({ sums, reasons, senders, minute }, message, ofSeries);
    countTo(tally, message.received, refusedOf(refusedHere, 'metric'));
    refusals.add({ refusals: refusedHere, tokenId, receivedAt: arrivedAt });
    impact.add(message.impact, receivedAt);
    if (message.isTrusted) trusted.add(message);
  }
  const parts = { sums, impact, reasons, refusals, senders, trusted, ofSeries, receipts, traces };
  return { ...parts, tally, batches, spans, duplicateBatches, deadLetters, appendedTo };
}

/** The days of minutes that a block has at most: each is a partition of a table, and minutes are kept for two days by default. */
const MINUTE_DAYS = 3;

/** The minute (since the epoch) in which a message arrived. After a long outage a block may have messages of many days. */
function minuteOf(arrivedAt: number, appendedTo: number): number {
  const isRecent = dayOf(arrivedAt) > dayOf(appendedTo) - MINUTE_DAYS;
  return isRecent ? Math.floor(arrivedAt / 60_000) : NO_MINUTE;
}

function countTo(tally: Tally, received: number, refused: number): void {
  tally.refused += refused;
  tally.counted += received - refused;
}

/** Whether the last two digits of a traceparent, its flags, contain the flag "sampled", which is 1. */
function isSampled(traceparent: string | undefined): traceparent is string {
  return traceparent !== undefined && (Number.parseInt(traceparent.slice(-2), 16) & 1) === 1;
}

/** Where a block ends, as later blocks need it. */
export function endOf({ range, appendedTo }: Pick<Block, 'range' | 'appendedTo'>): BlockEnd {
  return { messages: Number(range.to - range.from), appendedTo };
}

/** Remembers the batches of a block that was handled before, as `buildBlock` did then. Returns where it ends. */
export function recallBlock(messages: readonly LogMessage[], duplicates: DuplicateWindow): BlockEnd {
  const isNew = duplicates.begin();
  const batches: CountedBatch[] = [];
  for (const { value } of messages) {
    const decoded = decodeCounts(value);
    if ('problem' in decoded) continue;
    const { batchId, receivedAt } = decoded.message;
    if (isNew({ batchId, receivedAt })) batches.push({ batchId, receivedAt });
  }
  const end = { messages: messages.length, appendedTo: messages.at(-1)?.appendedAt ?? 0 };
  duplicates.remember({ batches, ...end });
  return end;
}

function extentOf(receipts: readonly number[]): Pick<Block, 'receivedFrom' | 'receivedTo'> {
  let receivedFrom = receipts[0] ?? 0;
  let receivedTo = receivedFrom;
  for (const receipt of receipts) {
    receivedFrom = Math.min(receivedFrom, receipt);
    receivedTo = Math.max(receivedTo, receipt);
  }
  return { receivedFrom, receivedTo };
}
