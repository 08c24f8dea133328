import { type CountsMessage, decodeCounts } from '#counting';
import { COUNTS } from '../names.ts';
import type { World } from '../world.ts';

/** The replicated messages of a partition; undefined for one that cannot be decoded. */
export function readMessages({ brokers }: World, partition: number): (CountsMessage | undefined)[] {
  return brokers
    .logOf(COUNTS, partition)
    .read(0, Infinity)
    .map(({ value }) => {
      const decoded = decodeCounts(value === null ? null : Buffer.from(value));
      return 'problem' in decoded ? undefined : decoded.message;
    });
}
