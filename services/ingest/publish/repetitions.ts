import type { PublishOutcome } from './partition-sender.ts';
import { StoredBatches } from './stored-batches.ts';

type Repeatable = { readonly batchId: string; readonly sender: string | undefined };

/**
 * Gives the repetitions of a batch the outcome of its first try.
 *
 * While that is in flight, both get the same outcome. When it is stored, its relay may not have got the answer and repeat it. If
 * Kafka rejects the repetition, the batch is stored all the same, and must not get the 503 that makes a relay merge it into another.
 */
export function createRepetitions<Publication extends Repeatable>({
  repeatedMs,
  store,
}: {
  /** The time within which a relay repeats a batch whose answer it did not get. */
  readonly repeatedMs: number;
  /** Stores a batch of which no other try is in flight. */
  readonly store: (publication: Publication) => Promise<PublishOutcome>;
}) {
  const inFlight = new Map<
    string,
    { readonly sender: string | undefined; readonly outcome: Promise<PublishOutcome> }
  >();
  const stored = new StoredBatches(repeatedMs);

  const publishOnce = async (publication: Publication): Promise<PublishOutcome> => {
    const { batchId, sender } = publication;
    try {
      const outcome = await store(publication);
      if (outcome === 'stored' && sender !== undefined) stored.add({ batchId, sender });
      return stored.has(batchId) ? 'stored' : outcome;
    } finally {
      inFlight.delete(batchId);
    }
  };

  return {
    publish(publication: Publication): Promise<PublishOutcome> {
      const earlier = inFlight.get(publication.batchId);
      if (earlier !== undefined) return earlier.outcome;
      const outcome = publishOnce(publication);
      inFlight.set(publication.batchId, { sender: publication.sender, outcome });
      return outcome;
    },
    /** Whether a request of this sender may repeat a stored batch, which only its body shows. */
    mayRepeatStored: (sender: string | undefined): boolean =>
      sender !== undefined && stored.hasSender(sender),
    /** Whether a request of this sender may repeat a batch that is stored, or whose outcome is unknown. */
    mayRepeat(sender: string | undefined): boolean {
      if (sender === undefined) return false;
      return stored.hasSender(sender) || [...inFlight.values()].some((batch) => batch.sender === sender);
    },
    /** Resolves when no batch is in flight. */
    async flush(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(Array.from(inFlight.values(), ({ outcome }) => outcome));
    },
  };
}
