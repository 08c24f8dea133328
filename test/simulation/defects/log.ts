import type { Defect } from './defect.ts';

const PARTITION = 'services/worker/counts/counts-partition.ts';
const TAKE_OVER = 'services/worker/counts/take-over-counts.ts';

/** Rules about messages that were deleted, topics that were lost and floods of messages that nobody can decode. */
export const DEFECTS_OF_LOG: readonly Defect[] = [
  {
    name: 'a worker goes on behind deleted messages',
    file: PARTITION,
    from: 'if (batch.from > this.#position) {',
    to: 'if (batch.from > this.#position + 1_000_000n) {',
  },
  {
    name: 'a worker that takes over goes on behind deleted messages',
    file: TAKE_OVER,
    from: 'if (isGap && !isCommitted)',
    to: 'if (isGap && !isCommitted && storedTo < 0n)',
  },
  {
    name: 'a worker that takes over does not compare the stored blocks with the offset',
    file: 'packages/core/counting/block/continuity.ts',
    from: 'if (storedTo === committed || storedTo === intent?.to) return undefined;',
    to: 'if (storedTo <= committed || storedTo === intent?.to) return undefined;',
  },
  {
    name: 'the accepted loss of messages stops the worker again',
    file: TAKE_OVER,
    from: 'committed <= (await readLogStart())',
    to: 'committed < (await readLogStart())',
  },
  {
    name: 'tokens do not name the epoch of the topic',
    file: 'packages/core/counting/block/block.ts',
    from: 'return `${topic}:${epoch}:${partition}:${from.toString()}:${to.toString()}`;',
    to: 'return `${topic}:${epoch * 0}:${partition}:${from.toString()}:${to.toString()}`;',
  },
  {
    name: 'markers do not name the epoch of the topic',
    file: 'packages/core/clickhouse/blocks/markers.ts',
    from: 'return `${topic}:${epoch}:${partition}`;',
    to: 'return `${topic}:${epoch * 0}:${partition}`;',
  },
  {
    name: 'a flood of messages that nobody can decode does not stop the worker',
    file: PARTITION,
    from: 'if (poison.isFlood(dead)) {',
    to: 'if (poison.isFlood(dead.slice(1000))) {',
  },
  {
    name: 'a worker that takes over forgets the dead letters',
    file: TAKE_OVER,
    from: 'poison.load(history.deadBlocks);',
    to: 'poison.load(history.deadBlocks.slice(1000));',
  },
];
