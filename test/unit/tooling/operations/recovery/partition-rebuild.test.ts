import { expect } from 'chai';
import fc from 'fast-check';
import type { Block, LogMessage } from '#core/counting';
import { PartitionRebuild } from '../../../../../packages/tooling/operations/recovery/partition-rebuild.ts';
import { aLogMessage, aPoisonMessage } from '../../../../support/builders/builders.ts';
import { WINDOW_MS, afterMs, contentOf, replay } from '../../../../support/model/replay.ts';

describe('PartitionRebuild', () => {
  const blockSizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 8 });
  const fetchSizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 8 });

  it('rebuilds the stored blocks, however the log is fetched', async () => {
    await fc.assert(
      fc.asyncProperty(blockSizes, fetchSizes, async (sizes, fetches) => {
        const groups = cut(logOf(sum(sizes)), sizes);
        const stored = replay(groups);
        const rebuilt = await rebuildFrom(groups.flat(), { stored, fetches });
        expect(rebuilt.map(({ block }) => contentOf(block))).to.deep.equal(stored.map(contentOf));
        expect(rebuilt.every(({ isStored }) => isStored)).to.equal(true);
      }),
    );
  });

  it('fills gaps so that all blocks cover the log once, and does not change the stored ones', async () => {
    await fc.assert(
      fc.asyncProperty(blockSizes, fetchSizes, fc.nat(), async (sizes, fetches, lost) => {
        const groups = cut(logOf(sum(sizes)), sizes);
        const all = replay(groups);
        const stored = all.filter((_, index) => ((lost >> index) & 1) === 0);
        const rebuilt = await rebuildFrom(groups.flat(), { stored, fetches });
        const ranges = rebuilt.map(({ block }) => block.range);
        expect(ranges.map(({ from }) => from)).to.deep.equal([
          0n,
          ...ranges.slice(0, -1).map(({ to }) => to),
        ]);
        expect(ranges.at(-1)?.to).to.equal(BigInt(sum(sizes)));
        const kept = rebuilt.filter(({ isStored }) => isStored).map(({ block }) => contentOf(block));
        expect(kept).to.deep.equal(stored.map(contentOf));
        const counted = (blocks: readonly Block[]): number => sum(blocks.map(({ tally }) => tally.counted));
        expect(counted(rebuilt.map(({ block }) => block))).to.equal(counted(all));
      }),
    );
  });

  it('keeps dead letters dead, and adds replayed ones under their own name', async () => {
    const log = logOf(3);
    const dead = log.map((message, index) => (index === 1 ? aPoisonMessage({ offset: 1 }) : message));
    const [block] = replay([dead]);
    const replayed = await rebuildFrom(log, { stored: [block], fetches: [3], letter: { state: 'replayed' } });
    const duplicate = { state: 'replayed', isDuplicate: true } as const;

    expect(replayed.map((item) => [item.block.range.topic, item.block.tally.dead])).to.deep.equal([
      ['counts', 1],
      ['replayed/counts', 0],
    ]);
    for (const letter of [{ state: 'open' }, { state: 'dropped' }, duplicate] as const) {
      const [only, ...others] = await rebuildFrom(log, { stored: [block], fetches: [3], letter });
      expect([only?.block.tally.dead, others.length]).to.deep.equal([1, 0]);
    }
    const [understood] = await rebuildFrom(log, {
      stored: [block],
      fetches: [3],
      letter: { state: 'pending' },
    });
    expect(understood?.block.tally.dead).to.equal(0);
  });
});

type Rebuilt = { readonly block: Block; readonly isStored: boolean };
type Known = {
  readonly stored: readonly (Block | undefined)[];
  readonly fetches: readonly number[];
  /** The recorded state of the letter at offset 1. */
  readonly letter?: {
    readonly state: 'open' | 'pending' | 'replayed' | 'dropped';
    readonly isDuplicate?: boolean;
  };
};

async function rebuildFrom(
  log: readonly LogMessage[],
  { stored, fetches, letter }: Known,
): Promise<Rebuilt[]> {
  const rebuilt: Rebuilt[] = [];
  const key = { topic: 'counts', epoch: 1, partition: 0 };
  const ranges = stored.flatMap((block) =>
    block === undefined ? [] : { ...block.range, dead: block.tally.dead },
  );
  const known = { isDuplicate: false, ...letter };
  const details = { problemToday: undefined, batch: undefined, sizeBytes: 0, appendedAt: 0 };
  const letters =
    letter === undefined
      ? []
      : [{ ...key, ...details, ...known, ...letter, offset: 1n, key: '', reason: '' }];
  const rebuild = new PartitionRebuild({
    key,
    from: 0n,
    committed: BigInt(log.length),
    duplicateWindowMs: WINDOW_MS,
    series: [],
    readRanges: (from, limit) =>
      Promise.resolve(ranges.filter((range) => range.from >= from).slice(0, Math.min(limit, 1000))),
    letters: new Map(letters.map((item) => [item.offset, item])),
    emit: (block, isStored) => {
      rebuilt.push({ block, isStored });
      return Promise.resolve();
    },
  });
  for (let start = 0, turn = 0; start < log.length; turn += 1) {
    const size = fetches[turn % fetches.length] ?? 1;
    await rebuild.add(log.slice(start, start + size));
    start += size;
  }
  return rebuilt;
}

/** A log with repeated batches, some within the window. */
function logOf(length: number): LogMessage[] {
  return Array.from({ length }, (_, offset) =>
    offset % 5 === 4
      ? aPoisonMessage({ offset })
      : aLogMessage({ offset, batchId: `batch-${offset % 3}`, receivedAt: afterMs(offset * 9000) }),
  );
}

function cut(log: readonly LogMessage[], sizes: readonly number[]): LogMessage[][] {
  let start = 0;
  return sizes.map((size) => log.slice(start, (start += size)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
