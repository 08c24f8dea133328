import { partitionOfSender } from '#counting';
import type { MessageProducer, SendOutcome } from '#kafka';
import { Lane, type LaneOptions, type LaneOutcome } from './lane.ts';
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
  publish(publication: Publication): Promise<LaneOutcome>;
  /** Whether a batch of this sender would be refused at once, whatever it holds. */
  isRefusing(sender: string | undefined): boolean;
  /** How many lanes refuse at once, by topic. */
  openLanes(): { readonly topic: string; readonly lanes: number }[];
  /** Since when sends have failed and none was stored, on any lane; undefined while all is well. */
  failingSince(): number | undefined;
  /** Bytes that wait for Kafka. */
  bytes(): number;
  /** Resolves when nothing waits for its outcome. */
  flush(): Promise<void>;
  /** Gives up what still waits. */
  stop(): void;
};

export type PublisherOptions = Pick<LaneOptions, 'rideOutMs' | 'expiryMs'> & {
  readonly producer: Pick<MessageProducer, 'send'>;
  readonly counts: { readonly topic: string; readonly partitions: number };
  readonly applications: { readonly topic: string; readonly partitions: number };
  readonly onSend: (topic: string, outcome: SendOutcome['outcome'], reason: string) => void;
};

export function createPublisher(options: PublisherOptions): Publisher {
  let failingSince: number | undefined;
  const createLanes = (
    { topic, partitions }: PublisherOptions['counts'],
    probe: LaneOptions['probe'],
  ): Lane[] =>
    Array.from({ length: partitions }, (_, partition) => {
      const onSend: LaneOptions['onSend'] = (outcome, reason) => {
        failingSince = failingSinceAfter(outcome, failingSince);
        options.onSend(topic, outcome, reason);
      };
      return new Lane({ ...options, topic, partition, probe, onSend });
    });
  const lanes = {
    counts: createLanes(options.counts, countsProbe),
    applications: createLanes(options.applications, applicationsProbe),
  };
  const allLanes = [...lanes.applications, ...lanes.counts];
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

  const publishOnce = async (publication: Publication): Promise<LaneOutcome> => {
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
    // Whether a batch has applications shows only when it is read, and most have: either lane decides. What an open lane
    // still holds is in doubt, and the next request may repeat just that: only its body tells.
    isRefusing(sender) {
      // Nearly always; and to find the lanes of a sender is a hash each.
      if (!allLanes.some((lane) => lane.isOpen)) return false;
      const both = [chooseLane(lanes.applications, sender), chooseLane(lanes.counts, sender)];
      return both.some((lane) => lane.isOpen) && both.every((lane) => lane.bytes === 0);
    },
    openLanes: () => [
      { topic: options.counts.topic, lanes: countOpen(lanes.counts) },
      { topic: options.applications.topic, lanes: countOpen(lanes.applications) },
    ],
    failingSince: () => failingSince,
    bytes: () => allLanes.reduce((sum, lane) => sum + lane.bytes, 0),
    async flush() {
      while (inFlight.size > 0) await Promise.all(inFlight.values());
    },
    stop() {
      for (const lane of allLanes) lane.stop();
    },
  };
}

/** A message that is too large says nothing about the broker. */
function failingSinceAfter(outcome: SendOutcome['outcome'], before: number | undefined): number | undefined {
  if (outcome === 'too-large') return before;
  return outcome === 'stored' ? undefined : (before ?? Date.now());
}

function countOpen(lanes: readonly Lane[]): number {
  return lanes.filter((lane) => lane.isOpen).length;
}

/** The sender's own lane, so that its retries meet in one partition; the best one for who does not say its name. */
function chooseLane(lanes: readonly Lane[], sender: string | undefined): Lane {
  const lane =
    sender === undefined ? lanes.reduce(betterLane) : lanes[partitionOfSender(sender, lanes.length)];
  if (lane === undefined) throw new RangeError('a topic has at least one partition');
  return lane;
}

/** An open lane holds little, and is still the worse one. */
function betterLane(one: Lane, other: Lane): Lane {
  if (one.isOpen !== other.isOpen) return one.isOpen ? other : one;
  return other.bytes < one.bytes ? other : one;
}
