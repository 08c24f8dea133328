import { type Sender, keyOfSender } from '#core/counting';
import type { MessageProducer } from '#core/kafka';
import { PARTITION_OF_COUNTERS, createPartitionChoice } from './partition-choice.ts';
import { PartitionSender, type PartitionSenderOptions, type Sent } from './partition-sender.ts';
import type { PublishOutcome } from './pending.ts';
import { applicationsProbe, countsProbe } from './probes.ts';
import { createRepetitions } from './repetitions.ts';

/** The messages that one request wants to store; an undefined message is not needed. */
export type Publication = {
  readonly batchId: string;
  /** The key of the sender, see `keyOfSender`. */
  readonly sender: string | undefined;
  readonly applications: string | undefined;
  readonly counts: Uint8Array | undefined;
  /** Whether the counts have points of counters that add up from their start. */
  readonly hasPoints?: boolean;
  /** How long it waits while Kafka rejects, instead of being rejected too. */
  readonly longestWaitMs?: number;
};

export type Publisher = {
  /**
   * Returns the outcome. If the same batch is still in flight, both requests get the same outcome. The repetition of a stored batch
   * is stored, whatever Kafka says now.
   */
  publish(publication: Publication): Promise<PublishOutcome>;
  /** Whether any batch of this sender would be rejected at once, and none of them may be the repetition of a stored one. */
  isRejecting(sender: Sender | undefined): boolean;
  /** Whether a request of this sender may repeat a batch that is stored, or whose outcome is unknown. */
  mayRepeat(sender: Sender | undefined): boolean;
  /** The number of partitions with an open circuit breaker, by topic. */
  openPartitions(): { readonly topic: string; readonly partitions: number }[];
  /** The time since which sends to all partitions have failed; undefined if the last send stored its messages. */
  failingSince(): number | undefined;
  /** The bytes of all messages that wait for Kafka. */
  bytes(): number;
  /** Resolves when no message waits for its outcome. */
  flush(): Promise<void>;
  /** Settles all messages that still wait. */
  stop(): void;
};

export type PublisherOptions = Pick<PartitionSenderOptions, 'rideOutMs' | 'expiryMs' | 'onBreaker'> & {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly counts: { readonly topic: string; readonly partitions: number };
  readonly applications: { readonly topic: string; readonly partitions: number };
  /** The time within which a relay repeats a batch whose answer it did not get. */
  readonly repeatedMs: number;
  readonly onSend: (topic: string, outcome: Sent['outcome'], reason: string) => void;
};

export function createPublisher(options: PublisherOptions): Publisher {
  let failingSince: number | undefined;
  const createPartitionSenders = (
    { topic, partitions }: PublisherOptions['counts'],
    probe: PartitionSenderOptions['probe'],
  ): PartitionSender[] =>
    Array.from({ length: partitions }, (_, partition) => {
      const onSend: PartitionSenderOptions['onSend'] = (outcome, reason) => {
        failingSince = failingSinceAfter(outcome, failingSince);
        options.onSend(topic, outcome, reason);
      };
      return new PartitionSender({ ...options, topic, partition, probe, onSend });
    });
  const partitionSenders = {
    counts: createPartitionSenders(options.counts, countsProbe),
    applications: createPartitionSenders(options.applications, applicationsProbe),
  };
  const all = [...partitionSenders.applications, ...partitionSenders.counts];
  const choosePartition = createPartitionChoice();

  /**
   * Stores the applications first, and the counts only after that. So the counts decide the outcome of the request. In the
   * other order a 503 could follow counts that were stored, and the relay would merge them into another body.
   */
  const publishInOrder = async (publication: Publication): Promise<PublishOutcome> => {
    const { sender, applications, counts, hasPoints = false, longestWaitMs = 0 } = publication;
    const wait = { since: Date.now(), longestWaitMs };
    if (applications !== undefined) {
      const outcome = await choosePartition(partitionSenders.applications, sender).submit(applications, wait);
      if (outcome !== 'stored') return outcome;
    }
    if (counts === undefined) return 'stored';
    const ofCounters = hasPoints ? partitionSenders.counts[PARTITION_OF_COUNTERS] : undefined;
    return (ofCounters ?? choosePartition(partitionSenders.counts, sender)).submit(counts, wait);
  };

  const repetitions = createRepetitions({ repeatedMs: options.repeatedMs, store: publishInOrder });

  return {
    publish: (publication) => repetitions.publish(publication),
    // We cannot know whether a batch has applications before we read it, and most have: so a partition of either topic that rejects
    // is enough. A request may repeat a batch that is stored or whose outcome is not known yet, which only its body shows. Without the
    // name of its sender it may repeat any that waits.
    isRejecting(sender) {
      // Partitions rarely reject, and the key of a sender costs a hash.
      if (!all.some(({ isRejecting }) => isRejecting)) return false;
      const key = sender && keyOfSender(sender.name);
      if (repetitions.mayRepeat(key)) return false;
      const both = Object.values(partitionSenders).map((ofTopic) => choosePartition(ofTopic, key));
      const mayRepeatAny = key === undefined && both.some(({ bytes }) => bytes > 0);
      return both.some(({ isRejecting }) => isRejecting) && !mayRepeatAny;
    },
    mayRepeat: (sender) => repetitions.mayRepeat(sender && keyOfSender(sender.name)),
    openPartitions: () => [
      { topic: options.counts.topic, partitions: countOpen(partitionSenders.counts) },
      { topic: options.applications.topic, partitions: countOpen(partitionSenders.applications) },
    ],
    failingSince: () => failingSince,
    bytes: () => all.reduce((sum, { bytes }) => sum + bytes, 0),
    flush: () => repetitions.flush(),
    stop() {
      for (const partitionSender of all) partitionSender.stop();
    },
  };
}

/** A message that is too large says nothing about the broker, so it changes nothing here. */
function failingSinceAfter(outcome: Sent['outcome'], before: number | undefined): number | undefined {
  if (outcome === 'too-large') return before;
  return outcome === 'stored' ? undefined : (before ?? Date.now());
}

function countOpen(partitionSenders: readonly PartitionSender[]): number {
  return partitionSenders.filter(({ isOpen }) => isOpen).length;
}
