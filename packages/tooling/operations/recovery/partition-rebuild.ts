import type { StoredRange } from '#core/clickhouse';
import {
  type Block,
  type BlockRange,
  DuplicateWindow,
  type KnownSeries,
  type LogMessage,
  SeriesStates,
  buildBlock,
  nextBlockEnd,
} from '#core/counting';
import type { Letter } from './letters.ts';
import { buildReplay } from './replay-letter.ts';

/** The limits of new blocks, used if no stored block says how the messages were grouped. */
const BLOCK_LIMITS = { maxMessages: 20_000, maxBytes: 4 * 1024 * 1024 };
const RANGES_PER_PAGE = 1000;

export type PartitionRebuildOptions = {
  readonly key: Pick<BlockRange, 'topic' | 'epoch' | 'partition'>;
  readonly from: bigint;
  /** Messages from this offset on are not counted yet. */
  readonly committed: bigint;
  readonly duplicateWindowMs: number;
  /** The counters that are known at `from`. */
  readonly series: readonly KnownSeries[];
  /** The stored blocks that start at or after an offset, in order. */
  readonly readRanges: (from: bigint, limit: number) => Promise<readonly StoredRange[]>;
  /** The dead letters of the partition, by their offset. */
  readonly letters: ReadonlyMap<bigint, Letter>;
  /** Receives each block in order; `isStored` says whether ClickHouse has it. */
  readonly emit: (block: Block, isStored: boolean) => Promise<void>;
};

/**
 * Rebuilds the blocks of a partition as the worker built them. It uses the ranges that ClickHouse has, and the batch ids of the
 * preceding blocks. Messages that were dead then stay dead, even if today's decoder can read them. If ClickHouse has lost
 * blocks, new ranges fill the gap.
 */
export class PartitionRebuild {
  readonly #options: PartitionRebuildOptions;
  readonly #history: { readonly duplicates: DuplicateWindow; readonly series: SeriesStates };
  #from: bigint;
  #messages: LogMessage[] = [];
  #page: readonly StoredRange[] = [];
  #isLastPage = false;

  constructor(options: PartitionRebuildOptions) {
    this.#options = options;
    const duplicates = new DuplicateWindow(options.duplicateWindowMs);
    this.#history = { duplicates, series: new SeriesStates(options.series) };
    this.#from = options.from;
  }

  /** Adds the next messages and builds every block that they complete. */
  async add(messages: readonly LogMessage[]): Promise<void> {
    this.#messages.push(...messages);
    const position = (messages.at(-1)?.offset ?? -1n) + 1n;
    while (this.#from < position) {
      const next = await this.#nextStored();
      const isStored = next?.from === this.#from;
      const to = isStored ? next.to : this.#endInGap(next?.from ?? this.#options.committed, position);
      if (to === undefined || to > position) return;
      await this.#build(to, isStored);
    }
  }

  /** The first stored block that starts at or after the next block to build. */
  async #nextStored(): Promise<StoredRange | undefined> {
    let next = this.#page.find(({ from }) => from >= this.#from);
    if (next !== undefined || this.#isLastPage) return next;
    this.#page = await this.#options.readRanges(this.#from, RANGES_PER_PAGE);
    this.#isLastPage = this.#page.length < RANGES_PER_PAGE;
    next = this.#page[0];
    return next;
  }

  #endInGap(gapTo: bigint, fetchedTo: bigint): bigint | undefined {
    const position = fetchedTo < gapTo ? fetchedTo : gapTo;
    const messages = this.#messages.filter(({ offset }) => offset < position);
    return nextBlockEnd({ from: this.#from, position, messages }, undefined, BLOCK_LIMITS);
  }

  async #build(to: bigint, isStored: boolean): Promise<void> {
    const { key, letters, emit } = this.#options;
    const behind = this.#messages.findIndex(({ offset }) => offset >= to);
    const messages = this.#messages.splice(0, behind === -1 ? this.#messages.length : behind);
    const replays: Block[] = [];
    const asThen = messages.map((message): LogMessage => {
      const letter = letters.get(message.offset);
      if (letter === undefined || letter.state === 'pending') return message;
      if (letter.state === 'replayed' && !letter.isDuplicate) {
        replays.push(buildReplay({ ...message, ...key, problem: letter.reason }, false));
      }
      return { ...message, value: null };
    });
    const { block, remember } = buildBlock({ ...key, from: this.#from, to }, asThen, this.#history);
    remember();
    this.#from = to;
    await emit(block, isStored);
    for (const replay of replays) await emit(replay, true);
  }
}
