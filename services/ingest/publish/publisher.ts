import { partitionOfSender } from '#counting';
import type { MessageProducer, SendOutcome } from '#kafka';
import { PartitionSender, type PartitionSenderOptions, type PublishOutcome } from './partition-sender.ts';
import { applicationsProbe, countsProbe } from './probes.ts';

/** What one request wants stored; an absent message is not needed. */
export type Publication = {
  readonly batchId: string;
  readonly sender: string | undefined;
  readonly applications: string | undefined;
  readonly counts: Uint8Array | undefined;
};

export type Publisher = {
  /** What became of it; a batch that is still on its way shares its outcome with its repetition. */
  publish(publication: Publication): Promise<PublishOutcome>;
  /** Whether a batch of this sender would be rejected at once, whatever it holds. */
  isRejecting(sender: string | undefined): boolean;
  /** How many partitions have an open circuit breaker, by topic. */
  openPartitions(): { readonly topic: string; readonly partitions: number }[];
  /** Since when sends have failed and none was stored, to any partition; undefined while all is well. */
  failingSince(): number | undefined;
  /** Bytes that wait for Kafka. */
  bytes(): number;
  /** Resolves when nothing waits for its outcome. */
  flush(): Promise<void>;
  /** Gives up what still waits. */
  stop(): void;
};

export type PublisherOptions = Pick<PartitionSenderOptions, 'rideOutMs' | 'expiryMs'> & {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly counts: { readonly topic: string; readonly partitions: number };
  readonly applications: { readonly topic: string; readonly partitions: number };
  readonly onSend: (topic: string, outcome: SendOutcome['outcome'], reason: string) => void;
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
  const inFlight = new Map<string, Promise<PublishOutcome>>();

  /**
   * Applications first, and the counts only when those are stored: so the outcome of the counts, the last to be
   * known, is the outcome of the request. The other way round a 503 could follow counts that were stored, and the
   * relay would merge them into another body.
   */
  const publishInOrder = async ({ sender, applications, counts }: Publication): Promise<PublishOutcome> => {
    if (applications !== undefined) {
      const outcome = await choosePartition(partitionSenders.applications, sender).submit(applications);
      if (outcome !== 'stored') return outcome;
    }
    return counts === undefined ? 'stored' : choosePartition(partitionSenders.counts, sender).submit(counts);
  };

  const publishOnce = async (publication: Publication): Promise<PublishOutcome> => {
    try {
      return await publishInOrder(publication);
    } finally {
      inFlight.delete(publication.batchId);
    }
  };

  return {
    publish(publication) {
      const earlier = inFlight.get(publication.batchId);
      if (earlier !== undefined) return earlier;
      const outcome = publishOnce(publication);
      inFlight.set(publication.batchId, outcome);
      return outcome;
    },
    // Whether a batch has applications shows only when it is read, and most have: either partition decides. While an
    // open partition holds messages, their outcome is unknown, and only the body shows whether a request repeats one.
    isRejecting(sender) {
      // Nearly always; and finding the partitions of a sender costs a hash each.
      if (!all.some(({ isOpen }) => isOpen)) return false;
      const both = Object.values(partitionSenders).map((ofTopic) => choosePartition(ofTopic, sender));
      return both.some(({ isOpen }) => isOpen) && both.every(({ bytes }) => bytes === 0);
    },
    openPartitions: () => [
      { topic: options.counts.topic, partitions: countOpen(partitionSenders.counts) },
      { topic: options.applications.topic, partitions: countOpen(partitionSenders.applications) },
    ],
    failingSince: () => failingSince,
    bytes: () => all.reduce((sum, { bytes }) => sum + bytes, 0),
    async flush() {
      while (inFlight.size > 0) await Promise.all(inFlight.values());
    },
    stop() {
      for (const partitionSender of all) partitionSender.stop();
    },
  };
}

/** A message that is too large says nothing about the broker. */
function failingSinceAfter(outcome: SendOutcome['outcome'], before: number | undefined): number | undefined {
  if (outcome === 'too-large') return before;
  return outcome === 'stored' ? undefined : (before ?? Date.now());
}

function countOpen(partitionSenders: readonly PartitionSender[]): number {
  return partitionSenders.filter(({ isOpen }) => isOpen).length;
}

/** The sender's own partition, so that its retries meet in it; the best partition if the sender is unknown. */
function choosePartition(
  partitionSenders: readonly PartitionSender[],
  sender: string | undefined,
): PartitionSender {
  const partitionSender =
    sender === undefined
      ? partitionSenders.reduce(betterPartition)
      : partitionSenders[partitionOfSender(sender, partitionSenders.length)];
  if (partitionSender === undefined) throw new RangeError('a topic has at least one partition');
  return partitionSender;
}

/** An open partition holds little, and is still the worse one. */
function betterPartition(one: PartitionSender, other: PartitionSender): PartitionSender {
  if (one.isOpen !== other.isOpen) return one.isOpen ? other : one;
  return other.bytes < one.bytes ? other : one;
}
