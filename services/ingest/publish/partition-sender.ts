import { setImmediate } from 'node:timers/promises';
import type { MessageProducer, SendOutcome } from '#kafka';
import { createBackoff, inBackground } from '#runtime';
import { Breaker } from './breaker.ts';

/**
 * Queues and sends the messages of one topic partition. The queue is bounded. What happens to a message:
 *
 *   queued --send--> stored                            the broker acknowledged it with acks=all
 *                    not stored, and never in doubt    sent again until the breaker opens, then rejected
 *                    unknown                           in doubt: sent again until it is stored or expires
 *                    too large                         sent again with fewer others; alone, rejected at once
 *
 * Doubt sticks to a message: a later rejection says nothing about the earlier try. A partition sender has one send in
 * flight; what arrives meanwhile gathers for the next one, as does what is about to arrive. There is no linger timer: waiting
 * 3 ms cost 60 % of the rate.
 *
 * After a send that failed the partition sender goes on until one is stored: with what waits, else with a probe of
 * its own, one at a time. So it recovers without traffic, and no relay's batch is risked to find out.
 */
export type PublishOutcome = 'stored' | 'not-stored' | 'unknown';

export type PartitionSenderOptions = {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly topic: string;
  readonly partition: number;
  /** How long trouble that surely stored nothing is ridden out. */
  readonly rideOutMs: number;
  /** How long a message in doubt is tried again; its relay has given up by then. */
  readonly expiryMs: number;
  /** A message that may be stored any number of times and counts nothing. */
  readonly probe: () => string | Uint8Array;
  readonly onSend: (outcome: SendOutcome['outcome'], reason: string) => void;
};

const MAX_SEND_BYTES = 256 * 1024;
/** kafkajs groups the messages of a send quadratically. */
const MAX_SEND_MESSAGES = 500;
/** Ever more requests must not keep those waiting that are there. */
const GATHERING_TURNS = 4;

type Pending = {
  readonly value: string | Uint8Array;
  readonly bytes: number;
  readonly since: number;
  isInDoubt: boolean;
  readonly settle: (outcome: PublishOutcome) => void;
};

export class PartitionSender {
  readonly #options: PartitionSenderOptions;
  readonly #breaker: Breaker;
  readonly #stopping = new AbortController();
  /** What is being sent, and what waits behind it. */
  #group: Pending[] = [];
  #queue: Pending[] = [];
  #bytes = 0;
  #isRunning = false;
  #isInTrouble = false;

  constructor(options: PartitionSenderOptions) {
    this.#options = options;
    this.#breaker = new Breaker(options.rideOutMs);
  }

  /** Bytes that wait or are being sent. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether what is submitted now is rejected at once. */
  get isOpen(): boolean {
    return this.#breaker.isOpen(Date.now());
  }

  /** What became of the message. Never rejects. */
  submit(value: string | Uint8Array): Promise<PublishOutcome> {
    if (this.isOpen || this.#stopping.signal.aborted) return Promise.resolve('not-stored');
    return new Promise((resolve) => {
      const bytes = Buffer.byteLength(value);
      this.#bytes += bytes;
      const settle = (outcome: PublishOutcome): void => {
        this.#bytes -= bytes;
        resolve(outcome);
      };
      this.#queue.push({ value, bytes, since: Date.now(), isInDoubt: false, settle });
      if (!this.#isRunning) inBackground(this.#run());
    });
  }

  /** Gives up what is not settled yet, and probes no more. */
  stop(): void {
    this.#stopping.abort();
    // A send may be under way, whose outcome nobody will hear of.
    for (const pending of this.#group) pending.isInDoubt = true;
    this.#group = this.#settle(this.#group, () => true);
    this.#queue = this.#settle(this.#queue, () => true);
  }

  /** The flag falls in the very step that finds nothing to send: a message that comes later starts a new run. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    const backoff = createBackoff({ firstMs: 20, maxMs: 250 });
    for (;;) {
      if (this.#group.length === 0) {
        await this.#gather();
        this.#group = this.#dequeueGroup();
      }
      const hasNothingToSend = this.#group.length === 0 && !this.#isInTrouble;
      if (hasNothingToSend || this.#stopping.signal.aborted) break;
      await this.#send();
      if (this.#isInTrouble) await backoff.wait(this.#stopping.signal);
      else backoff.reset();
    }
    this.#isRunning = false;
  }

  /**
   * Lets the event loop go round for as long as that brings more: answers go out together, so the next requests come
   * together, each in a callback of its own. With a broker that acknowledges at once requests of 10 rows cost 96 us
   * instead of 165, and of 480 rows 470 instead of 575; Kafka takes a fifth less CPU for each, at the same rate.
   */
  async #gather(): Promise<void> {
    let waiting = 0;
    for (let turn = 0; turn < GATHERING_TURNS && this.#queue.length > waiting; turn += 1) {
      waiting = this.#queue.length;
      await setImmediate();
    }
  }

  #dequeueGroup(): Pending[] {
    let bytes = 0;
    let end = 0;
    for (const pending of this.#queue) {
      bytes += pending.bytes;
      if (end > 0 && (bytes > MAX_SEND_BYTES || end === MAX_SEND_MESSAGES)) break;
      end += 1;
    }
    return this.#queue.splice(0, end);
  }

  /** Sends the group, or a probe in its place, and settles what can be settled. */
  async #send(): Promise<void> {
    const { producer, topic, partition, probe, onSend } = this.#options;
    const messages = this.#group.length > 0 ? this.#group : [{ value: probe() }];
    const result = await producer.send(topic, partition, messages);
    const { outcome } = result;
    onSend(outcome, outcome === 'stored' ? '' : result.reason);
    if (outcome === 'too-large') {
      this.#lessen();
      return;
    }
    this.#isInTrouble = outcome !== 'stored';
    this.#breaker.record(outcome, Date.now());
    if (outcome === 'stored') {
      for (const pending of this.#group) pending.settle('stored');
      this.#group = [];
      return;
    }
    if (outcome === 'unknown') for (const pending of this.#group) pending.isInDoubt = true;
    const isOverdue = this.#overdue();
    this.#group = this.#settle(this.#group, isOverdue);
    this.#queue = this.#settle(this.#queue, isOverdue);
  }

  /**
   * Halves a group that is too large; a message that is too large alone is so at every try, and says nothing about the broker. It
   * gets no 4xx: a relay would drop the data, and keeps it until the limit of the topic is mended.
   */
  #lessen(): void {
    if (this.#group.length > 1) this.#queue.unshift(...this.#group.splice(Math.ceil(this.#group.length / 2)));
    else this.#group = this.#settle(this.#group, () => true);
  }

  /**
   * What has waited long enough. Behind a message in doubt the others wait too; an open breaker ends all patience with
   * rejections, but a doubt lasts until it expires.
   */
  #overdue(): (pending: Pending) => boolean {
    const now = Date.now();
    const isOpen = this.#breaker.isOpen(now);
    return ({ isInDoubt, since }) => (isOpen && !isInDoubt) || now - since >= this.#options.expiryMs;
  }

  /** Answers the messages that `isDue`; gives the rest. */
  #settle(messages: readonly Pending[], isDue: (pending: Pending) => boolean): Pending[] {
    return messages.filter((pending) => {
      const isSettled = isDue(pending);
      if (isSettled) pending.settle(pending.isInDoubt ? 'unknown' : 'not-stored');
      return !isSettled;
    });
  }
}
