import { type PartitionKey, markerKey } from '#core/clickhouse';

/** How far blocks are stored: all blocks up to `storedTo` are stored, and the one from there to `intendedTo` may be. */
export type Progress = PartitionKey & {
  readonly storedTo: bigint;
  readonly intendedTo: bigint | undefined;
};

/**
 * Of each partition (by the key of its markers) in which a block may have been stored while the tables were read: the number of messages of
 * the blocks that were intended before and after. In any other partition nothing changed meanwhile, and nothing is unknown.
 */
export type OpenBlocks = ReadonlyMap<string, readonly bigint[]>;

export function findOpenBlocks(before: readonly Progress[], after: readonly Progress[]): OpenBlocks {
  const earlier = new Map(before.map((one) => [markerKey(one), one]));
  return new Map(
    after.flatMap((now) => {
      const then = earlier.get(markerKey(now));
      const sizes = [then, now].flatMap((one) =>
        one?.intendedTo === undefined ? [] : one.intendedTo - one.storedTo,
      );
      return then?.storedTo === now.storedTo && sizes.length === 0 ? [] : [[markerKey(now), sizes]];
    }),
  );
}
