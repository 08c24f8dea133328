import type { MessageProducer } from '#stream';
import { createBackoff } from '#runtime';

/**
 * The bounded queue in front of one topic partition, and what happens to a message in it:
 *
 *   queued --send--> stored                            the broker acknowledged it with acks=all
 *                    not stored, and never in doubt    sent again for `rideOutMs`, then refused
 *                    unknown                           in doubt: sent again until it is stored or expires
 *
 * Doubt sticks to a message: a later refusal says nothing about the earlier try. A lane has one send in flight;
 * what arrives meanwhile gathers for the next one. There is no linger timer: waiting 3 ms cost 60 % of the rate.
 */
export type LaneOutcome = 'stored' | 'not-stored' | 'unknown';

export type LaneOptions = {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly topic: string;
  readonly partition: number;
  /** How long trouble that surely stored nothing is ridden out. */
  readonly rideOutMs: number;
  /** How long a message in doubt is tried again; its relay has given up by then. */
  readonly expiryMs: number;
  readonly onSend: (outcome: LaneOutcome, reason: string) => void;
};

const MAX_SEND_BYTES = 256 * 1024;
/** kafkajs groups the messages of a send quadratically. */
const MAX_SEND_MESSAGES = 500;

type Pending = {
  readonly value: string | Uint8Array;
  readonly bytes: number;
  readonly since: number;
  isInDoubt: boolean;
  readonly settle: (outcome: LaneOutcome) => void;
};

export class Lane {
  readonly #options: LaneOptions;
  #queue: Pending[] = [];
  #bytes = 0;
  #isRunning = false;
  /** Since when the broker has done nothing but refuse; undefined after any other outcome. */
  #refusingSince: number | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Bytes that wait or are being sent. */
  get bytes(): number {
    return this.#bytes;
  }

  /** What became of the message. Never rejects. */
  submit(value: string | Uint8Array): Promise<LaneOutcome> {
    return new Promise((resolve) => {
      const bytes = Buffer.byteLength(value);
      this.#bytes += bytes;
      const settle = (outcome: LaneOutcome): void => {
        this.#bytes -= bytes;
        resolve(outcome);
      };
      this.#queue.push({ value, bytes, since: Date.now(), isInDoubt: false, settle });
      if (!this.#isRunning) void this.#run();
    });
  }

  /** The flag falls in the very step that finds the queue empty: a message that comes later starts a new run. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#queue.length > 0) await this.#sendUntilSettled(this.#takeGroup());
    this.#isRunning = false;
  }

  #takeGroup(): Pending[] {
    let bytes = 0;
    let end = 0;
    for (const pending of this.#queue) {
      bytes += pending.bytes;
      if (end > 0 && (bytes > MAX_SEND_BYTES || end === MAX_SEND_MESSAGES)) break;
      end += 1;
    }
    return this.#queue.splice(0, end);
  }

  async #sendUntilSettled(first: Pending[]): Promise<void> {
    const { producer, topic, partition, onSend } = this.#options;
    const backoff = createBackoff({ firstMs: 20, maxMs: 250 });
    let group = first;
    for (;;) {
      const result = await producer.send(topic, partition, group);
      onSend(result.outcome, result.outcome === 'stored' ? '' : result.reason);
      if (result.outcome === 'stored') {
        this.#refusingSince = undefined;
        for (const pending of group) pending.settle('stored');
        return;
      }
      if (result.outcome === 'unknown') for (const pending of group) pending.isInDoubt = true;
      // Nothing behind the group was ever sent: while the broker refuses it shares the group's patience.
      this.#refusingSince = result.outcome === 'not-stored' ? (this.#refusingSince ?? Date.now()) : undefined;
      group = this.#settleOverdue(group);
      this.#queue = this.#settleOverdue(this.#queue);
      if (group.length === 0) return;
      await backoff.wait();
    }
  }

  /**
   * Answers what has waited long enough; gives the rest. Patience with refusals begins with the first of them: a broker
   * that thaws may refuse once, and what waited behind a doubt until then has not been refused for long.
   */
  #settleOverdue(messages: readonly Pending[]): Pending[] {
    const { rideOutMs, expiryMs } = this.#options;
    const now = Date.now();
    const refusingSince = this.#refusingSince;
    return messages.filter((pending) => {
      const isOverdue =
        refusingSince !== undefined && !pending.isInDoubt
          ? now - Math.max(pending.since, refusingSince) >= rideOutMs
          : now - pending.since >= expiryMs;
      if (isOverdue) pending.settle(pending.isInDoubt ? 'unknown' : 'not-stored');
      return !isOverdue;
    });
  }
}
