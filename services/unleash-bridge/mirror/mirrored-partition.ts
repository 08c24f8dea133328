import {
  type BlockEnd,
  DuplicateWindow,
  type LogMessage,
  RecentBlocks,
  buildBlock,
  endOf,
  horizonOf,
  nextBlockEnd,
  recallBlock,
} from '#core/counting';
import type { FetchedBatch, Group } from '#core/kafka';
import { type CountsPost, countsPostsOf, evaluationsOf } from './posts/counts-posts.ts';
import { type Delivery, type Post, deliver, warnHourly } from './deliver.ts';
import { type ImpactPost, impactPostsOf } from './posts/impact-posts.ts';
import { type CurrentRange, type Progress, encodeProgress } from './progress.ts';
import type { VariantTotals } from './posts/variant-totals.ts';

/** A fetch has at most a MiB of a partition. These limits are for a range that became longer because it was interrupted. */
const RANGE_LIMITS = { maxMessages: 20_000, maxBytes: 4 * 1024 * 1024 };

const NO_COUNTS = { metrics: [], evaluations: 0 } as const;

export type PartitionOptions = {
  readonly topic: string;
  readonly duplicateWindowMs: number;
  readonly delivery: Delivery;
  readonly totals: VariantTotals;
};

export type PartitionStart = Progress & { readonly partition: number; readonly generation: number };

/**
 * One partition of the counts topic, one range of messages at a time. The order of effects is the contract:
 *
 *   before each post  commit (range, finished posts, "sent")   a successor knows that the outcome of this post is unknown
 *   POST
 *   after the last    commit (the end of the range)
 *
 * The posts of a range depend only on its messages, so a successor continues where we stopped. If a post certainly failed,
 * "unsent" is committed before we wait.
 */
export class MirrorPartition {
  readonly generation: number;
  readonly #options: PartitionOptions;
  readonly #partition: number;
  readonly #duplicates: DuplicateWindow;
  /** A successor reads from the oldest of these on, so that it knows the same batch ids. */
  readonly #recent: RecentBlocks<BlockEnd & { readonly from: bigint }>;
  /** Earlier messages are already mirrored; only their batch ids matter. */
  readonly #recalledTo: bigint;
  #from: bigint;
  #position: bigint;
  #current: CurrentRange | undefined;
  #messages: LogMessage[] = [];

  constructor(options: PartitionOptions, { from, current, partition, generation }: PartitionStart) {
    this.#options = options;
    this.#partition = partition;
    this.#duplicates = new DuplicateWindow(options.duplicateWindowMs);
    // One more window than the duplicates need. Then the oldest of these batches were recognised with the same earlier ones as
    // before.
    this.#recent = new RecentBlocks(horizonOf(options.duplicateWindowMs) + options.duplicateWindowMs);
    this.generation = generation;
    this.#recalledTo = from;
    this.#from = from;
    this.#position = from;
    this.#current = current;
  }

  /** Adds the fetched messages and mirrors every range that they complete. */
  async consume({ from, position, messages, group }: FetchedBatch): Promise<void> {
    const recalled = messages.filter(({ offset }) => offset < this.#recalledTo);
    if (recalled.length > 0) this.#recent.add({ from, ...recallBlock(recalled, this.#duplicates) });
    if (from > this.#position) this.#skip(from);
    for (const message of messages) if (message.offset >= this.#position) this.#messages.push(message);
    if (position > this.#position) this.#position = position;
    for (let to = this.#nextEnd(); to !== undefined; to = this.#nextEnd()) await this.#mirror(to, group);
  }

  /** Kafka has deleted the messages before this one. An interrupted range has lost its beginning and starts again. */
  #skip(to: bigint): void {
    const { topic, delivery } = this.#options;
    const messages = Number(to - this.#position);
    delivery.metrics.skippedMessages.inc({ topic }, messages);
    delivery.log.warn(
      { topic, partition: this.#partition, messages },
      'messages were deleted before they were mirrored',
    );
    this.#from = to;
    this.#position = to;
    this.#messages = [];
    this.#current = undefined;
  }

  #nextEnd(): bigint | undefined {
    const fetched = { from: this.#from, position: this.#position, messages: this.#messages };
    const intent = this.#current === undefined ? undefined : { to: this.#current.to, at: 0 };
    return nextBlockEnd(fetched, intent, RANGE_LIMITS);
  }

  async #mirror(to: bigint, group: Group): Promise<void> {
    const { topic, delivery } = this.#options;
    const { metrics } = delivery;
    const range = { topic, epoch: 0, partition: this.#partition, from: this.#from, to };
    const messages = this.#messages.filter(({ offset }) => offset < to);
    const history = { duplicates: this.#duplicates, hasMinutes: false };
    const { block, remember } = buildBlock(range, messages, history);
    const ofCounts = countsPostsOf(block.sums, (reason) => {
      metrics.leftOut.inc({ kind: 'counts', reason });
    });
    const ofImpact = impactPostsOf(block.impact, () => {
      metrics.leftOut.inc({ kind: 'impact', reason: 'too_large' });
    });
    const posts = [...ofCounts, ...ofImpact];
    metrics.undecodableMessages.inc({ topic }, block.deadLetters.length);
    const begun = this.#current;
    for (const [index, post] of posts.entries()) {
      if (index < (begun?.done ?? 0)) continue;
      const isInDoubt = index === begun?.done && begun.isSent;
      await this.#post(post, group, { to, done: index, isSent: isInDoubt });
    }
    remember();
    this.#recent.add({ from: this.#from, ...endOf(block) });
    this.#from = to;
    this.#current = undefined;
    this.#messages = this.#messages.filter(({ offset }) => offset >= to);
    await this.#commit(group);
  }

  async #post(post: CountsPost | ImpactPost, group: Group, current: CurrentRange): Promise<void> {
    const { delivery } = this.#options;
    const { metrics, secrets } = delivery;
    const { kind, environment } = post;
    const secret = secrets.get(environment);
    if (secret === undefined) {
      metrics.leftOut.inc({ kind, reason: 'no_token' }, kind === 'counts' ? post.rows.length : post.samples);
      warnHourly(
        delivery,
        { environment },
        'UNLEASH_MIRROR_TOKENS has no token of this environment: it is not mirrored',
      );
      return;
    }
    await deliver(delivery, group, {
      kind,
      environment,
      secret,
      applications: [],
      ...(kind === 'counts'
        ? this.#contentOf(post)
        : { ...NO_COUNTS, impactMetrics: post.metrics, samples: post.samples }),
      isInDoubt: current.isSent,
      note: async (isSent) => {
        this.#current = { ...current, isSent };
        await this.#commit(group);
      },
    });
  }

  #contentOf({ rows }: CountsPost): Pick<Post, 'metrics' | 'evaluations'> {
    const { delivery, totals } = this.#options;
    const leftOut = (): void => {
      delivery.metrics.leftOut.inc({ kind: 'counts', reason: 'variant_total' });
    };
    const admitted = rows.map((row) => totals.admit(row, Date.now(), leftOut));
    return { metrics: admitted, evaluations: evaluationsOf(rows) };
  }

  async #commit(group: Group): Promise<void> {
    const progress = { from: this.#from, current: this.#current };
    await group.commit(this.#recent.oldest?.from ?? this.#from, encodeProgress(progress));
  }
}
