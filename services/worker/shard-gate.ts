import { withDeadline } from '#base/runtime';

/** Thrown when a store does not answer, and other partitions need not wait for it. */
export class StoreAway extends Error {}

const PROBE_MS = 3000;

export type ShardGate = ReturnType<typeof createShardGate>;

/**
 * While a shard is unreachable, its partitions are postponed, because a fetch goes on only after all its partitions were handled. One
 * partition at a time finds out whether the shard is back. `probe` rejects while it is not.
 */
export function createShardGate(probe: () => Promise<void>) {
  let isUnavailable = false;
  let isProbing = false;
  return {
    close(): void {
      isUnavailable = true;
    },
    /** Whether the shard can be used, as far as is known. */
    async isOpen(): Promise<boolean> {
      if (!isUnavailable) return true;
      if (isProbing) return false;
      isProbing = true;
      try {
        await withDeadline(probe(), PROBE_MS, 'no answer');
        isUnavailable = false;
      } catch {
        // Still unavailable.
      } finally {
        isProbing = false;
      }
      return !isUnavailable;
    },
  };
}
