import type { PublishOutcome } from './pending.ts';
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
      if (outcome !== 'stored') return stored.has(batchId) ? 'stored' : outcome;
      if (sender !== undefined) stored.add({ batchId, sender });
      return 'stored';
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
    /** Whether a request of this sender may repeat a batch that is stored, or whose outcome is not known yet. Only its body shows it. */
    mayRepeat(sender: string | undefined): boolean {
      if (sender === undefined) return false;
      if (stored.hasSender(sender)) return true;
      for (const batch of inFlight.values()) if (batch.sender === sender) return true;
      return false;
    },
    /** Resolves when no batch is in flight. */
    async flush(): Promise<void> {
      while (inFlight.size > 0) await Promise.all(Array.from(inFlight.values(), ({ outcome }) => outcome));
    },
  };
}
