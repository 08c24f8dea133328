import { partitionOfSender } from '#domain';
import type { MessageProducer } from '#stream';
import { Lane, type LaneOptions, type LaneOutcome } from './lane.ts';

/** What one request wants stored; an absent message is not needed. */
export type Publication = {
  readonly batchId: string;
  readonly sender: string | undefined;
  readonly applications: string | undefined;
  readonly counts: Uint8Array | undefined;
};

export type Publisher = {
  /** What became of it; a batch that is still on its way shares its outcome with its repetition. */
  publish(publication: Publication): Promise<LaneOutcome>;
  /** Bytes that wait for Kafka. */
  bytes(): number;
  /** Resolves when every lane is empty. */
  flush(): Promise<void>;
};

export type PublisherOptions = Pick<LaneOptions, 'rideOutMs' | 'expiryMs'> & {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly counts: { readonly topic: string; readonly partitions: number };
  readonly applications: { readonly topic: string; readonly partitions: number };
  readonly onSend: (topic: string, outcome: LaneOutcome, reason: string) => void;
};

export function createPublisher(options: PublisherOptions): Publisher {
  const createLanes = ({ topic, partitions }: PublisherOptions['counts']): Lane[] =>
    Array.from({ length: partitions }, (_, partition) => {
      const onSend = (outcome: LaneOutcome, reason: string): void => {
        options.onSend(topic, outcome, reason);
      };
      return new Lane({ ...options, topic, partition, onSend });
    });
  const lanes = { counts: createLanes(options.counts), applications: createLanes(options.applications) };
  const inFlight = new Map<string, Promise<LaneOutcome>>();

  /**
   * Applications first, and the counts only when those are stored: so the outcome of the counts, the last to be
   * known, is the outcome of the request. The other way round a 503 could follow counts that were stored, and the
   * relay would merge them into another body.
   */
  const publishInOrder = async ({ sender, applications, counts }: Publication): Promise<LaneOutcome> => {
    if (applications !== undefined) {
      const outcome = await chooseLane(lanes.applications, sender).submit(applications);
      if (outcome !== 'stored') return outcome;
    }
    return counts === undefined ? 'stored' : chooseLane(lanes.counts, sender).submit(counts);
  };

  const allLanes = [...lanes.applications, ...lanes.counts];
  return {
    publish(publication) {
      const { batchId } = publication;
      const earlier = inFlight.get(batchId);
      if (earlier !== undefined) return earlier;
      const outcome = publishInOrder(publication).finally(() => inFlight.delete(batchId));
      inFlight.set(batchId, outcome);
      return outcome;
    },
    bytes: () => allLanes.reduce((sum, lane) => sum + lane.bytes, 0),
    async flush() {
      while (inFlight.size > 0) await Promise.all(inFlight.values());
    },
  };
}

/** The sender's own lane, so that its retries meet in one partition; the emptiest for who does not say its name. */
function chooseLane(lanes: readonly Lane[], sender: string | undefined): Lane {
  const lane =
    sender === undefined
      ? lanes.reduce((least, candidate) => (candidate.bytes < least.bytes ? candidate : least))
      : lanes[partitionOfSender(sender, lanes.length)];
  if (lane === undefined) throw new RangeError('a topic has at least one partition');
  return lane;
}
