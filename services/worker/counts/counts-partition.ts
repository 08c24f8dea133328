import type { Blocks, Session } from '#core/clickhouse';
import {
  type Block,
  DuplicateWindow,
  type Intent,
  type LogMessage,
  PoisonGuard,
  type SeriesStates,
  buildBlock,
  encodeIntent,
  nextBlockEnd,
} from '#core/counting';
import type { FetchedBatch, Group } from '#core/kafka';
import { FlagmeterError, type Log, type Tracing } from '#base/runtime';
import type { DeadLetters } from '../dead-letter-topic.ts';
import { checkDeduplicationWindow } from './deduplication.ts';
import type { WorkerMetrics } from '../metrics.ts';
import { traceBlock } from './trace-block.ts';
import { untilDone } from '../waiting.ts';

/** A fetch returns at most eight MiB of a partition. These limits matter for messages that gathered behind an old intent. */
const BLOCK_LIMITS = { maxMessages: 20_000, maxBytes: 8 * 1024 * 1024 };

export type PartitionOptions = {
  readonly topic: string;
  readonly epoch: number;
  readonly blocks: Pick<Blocks, 'insert' | 'complete' | 'readWindowUsed'>;
  readonly deadLetters: DeadLetters;
  readonly metrics: WorkerMetrics;
  /** Called with each stored block. */
  readonly onStored?: ((block: Block) => void) | undefined;
  readonly log: Log;
  /** Failures of ClickHouse after which StoreAway is thrown. The next fetch then continues. By default it retries for ever. */
  readonly maxFailures?: number | undefined;
  /** Undefined if blocks are not traced. */
  readonly tracing?: Tracing | undefined;
};

/** The state of a partition when the worker gets it. */
export type PartitionStart = {
  readonly partition: number;
  readonly generation: number;
  readonly from: bigint;
  readonly intent: Intent | undefined;
  readonly session: Session;
  readonly duplicates: DuplicateWindow;
  readonly series: SeriesStates;
  readonly poison: PoisonGuard;
};

/**
 * Handles one partition, one block at a time. The order of effects is the contract:
 *
 *   BEFORE  commit (from, intent{to})   a successor must store exactly this block
 *   INSERT  with the token of the block repeated until its outcome is known; a repetition changes nothing
 *   AFTER   commit (to, no intent)      the next block begins at `to`
 *
 * A crash before BEFORE leaves nothing. After a crash between BEFORE and AFTER the successor repeats the INSERT. After AFTER
 * nothing is left to do.
 */
export class Partition {
  readonly generation: number;
  readonly #options: PartitionOptions;
  readonly #start: PartitionStart;
  #from: bigint;
  #position: bigint;
  #intent: Intent | undefined;
  /** The session is older than the next intent. So ClickHouse rejects an INSERT if it was restarted after that intent. */
  #session: Session;
  /** Whether we or a predecessor may already have sent the INSERT of the intended block. */
  #isInDoubt: boolean;
  #messages: LogMessage[] = [];

  constructor(options: PartitionOptions, start: PartitionStart) {
    this.#options = options;
    this.#start = start;
    this.generation = start.generation;
    this.#from = start.from;
    this.#position = start.from;
    this.#intent = start.intent;
    this.#session = start.session;
    this.#isInDoubt = start.intent !== undefined;
  }

  /** Adds the fetched messages and stores every block that they complete. */
  async consume(batch: FetchedBatch): Promise<void> {
    if (batch.from > this.#position) {
      throw new FlagmeterError(
        'log-gap',
        `messages from ${this.#position} to ${batch.from} are not in the log any more`,
      );
    }
    for (const message of batch.messages) if (message.offset >= this.#position) this.#messages.push(message);
    if (batch.position > this.#position) this.#position = batch.position;
    for (let to = this.#nextEnd(); to !== undefined; to = this.#nextEnd()) await this.#store(to, batch.group);
  }

  #nextEnd(): bigint | undefined {
    const fetched = { from: this.#from, position: this.#position, messages: this.#messages };
    return nextBlockEnd(fetched, this.#intent, BLOCK_LIMITS);
  }

  async #store(to: bigint, group: Group): Promise<void> {
    const { topic, epoch, metrics, tracing, onStored } = this.#options;
    const { partition, duplicates, series, poison } = this.#start;
    const messages = this.#messages.filter(({ offset }) => offset < to);
    const range = { topic, epoch, partition, from: this.#from, to };
    const { block, remember, traces } = buildBlock(range, messages, { duplicates, series });
    const dead = block.deadLetters.map(({ offset }) => offset);
    if (poison.isFlood(dead)) {
      throw new FlagmeterError(
        'poison',
        `too many messages of ${topic}/${partition} cannot be decoded: is it our topic?`,
      );
    }
    const intent = this.#intent ?? { to, at: Date.now() };
    if (this.#intent === undefined) await group.commit(this.#from, encodeIntent(intent));
    // Set after the commit: an INSERT may only follow an intent that Kafka has acknowledged.
    this.#intent = intent;
    await traceBlock({ tracing, block, traces }, () => this.#insert(block, group, intent));
    await group.commit(to, '');
    remember();
    poison.remember(dead);
    metrics.recordBlock(block);
    onStored?.(block);
    metrics.deduplicationWindowUsed.set({ topic, partition }, 0);
    this.#intent = undefined;
    this.#isInDoubt = false;
    this.#from = to;
    this.#messages = this.#messages.filter(({ offset }) => offset >= to);
  }

  async #insert(block: Block, group: Group, { at: since }: Intent): Promise<void> {
    const { blocks, deadLetters, metrics, log, maxFailures } = this.#options;
    const { topic, partition } = block.range;
    const attempts = { group, metrics, log: log.child({ partition }) };
    if (block.deadLetters.length > 0) {
      await untilDone(attempts, 'keep dead letters', () => deadLetters.keep(block.range, block.deadLetters));
    }
    const stopTimer = metrics.insertSeconds.startTimer();
    await untilDone({ ...attempts, maxFailures }, 'insert', async () => {
      const isInDoubt = this.#isInDoubt;
      this.#isInDoubt = true;
      if (isInDoubt) await checkDeduplicationWindow(blocks, metrics, { topic, partition, since });
      this.#session = await (isInDoubt ? blocks.complete(block) : blocks.insert(block, this.#session));
    });
    stopTimer();
  }
}
