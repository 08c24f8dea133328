import { expect } from 'chai';
import { LARGEST_USED_RATIO } from '#core/clickhouse';
import { type Block, DuplicateWindow, type Intent, PoisonGuard, SeriesStates } from '#core/counting';
import { type FetchedBatch, LostPartition } from '#core/kafka';
import { FlagmeterError, Registry, createLog } from '#base/runtime';
import { createWorkerMetrics } from '../../../../services/worker/metrics.ts';
import { Partition } from '../../../../services/worker/counts/counts-partition.ts';
import { bytesOf } from '../../../support/builders/builders.ts';
import { aFetchedBatch } from './fetched-batch.ts';

describe('a partition of the worker', () => {
  it('commits the intent, inserts, and commits the end of the block', async () => {
    const { effects, partition, batch } = aPartition([]);
    await partition.consume(batch);

    expect(effects).to.deep.equal(['commit 0 to 1', 'insert 0-1 in first', 'commit 1']);
  });

  it('inserts nothing before Kafka has acknowledged the intent, even if it gets the messages again', async () => {
    const { effects, partition, batch } = aPartition(['commit 0 to 1']);
    const outcome = await partition.consume(batch).catch((error: unknown) => error);
    await partition.consume(batch);

    expect(outcome).to.be.instanceOf(LostPartition);
    expect(effects).to.deep.equal([
      'commit 0 to 1: lost',
      'commit 0 to 1',
      'insert 0-1 in first',
      'commit 1',
    ]);
  });

  it('completes the block of an intent that may be stored, without another intent', async () => {
    const { effects, partition, batch } = aPartition(['commit 1']);
    await partition.consume(batch).catch(() => undefined);
    await partition.consume(batch);

    expect(effects).to.deep.equal([
      'commit 0 to 1',
      'insert 0-1 in first',
      'commit 1: lost',
      'complete 0-1',
      'commit 1',
    ]);
  });

  it('inserts the next block in the session in which it completed the block before', async () => {
    const { effects, partition, batch } = aPartition([], { to: 1n, at: Date.now() });
    await partition.consume(batch);
    const messages = batch.messages.map((message) => ({ ...message, offset: 1n }));
    await partition.consume({ ...batch, from: 1n, position: 2n, messages });

    expect(effects).to.deep.equal([
      'complete 0-1',
      'commit 1',
      'commit 1 to 2',
      'insert 1-2 in second',
      'commit 2',
    ]);
  });

  it('waits for the rest of an intended block, and stores each message once however often it is fetched', async () => {
    const { partition, fetch, stored } = aPartition([], anIntent(3n));
    await partition.consume(fetch(['a', 'b']));
    await partition.consume(fetch(['a']));
    expect(stored).to.deep.equal([]);
    await partition.consume({ ...fetch(['a', 'b', 'c']), from: 1n });

    expect(stored.map(contentOf)).to.deep.equal([{ to: 3n, batches: ['a', 'b', 'c'], received: 3 }]);
  });

  it('stores only the messages of an intended block, and the rest in the next one', async () => {
    const { partition, fetch, stored } = aPartition([], anIntent(1n));
    await partition.consume(fetch(['a', 'b', 'c']));

    expect(stored.map(contentOf)).to.deep.equal([
      { to: 1n, batches: ['a'], received: 1 },
      { to: 3n, batches: ['b', 'c'], received: 2 },
    ]);
  });

  it('stores nothing after messages that are no longer in the log', async () => {
    const { partition, fetch, effects } = aPartition([]);
    const gap = { ...fetch(['a', 'b']), from: 1n };

    expect(await codeOf(partition.consume(gap))).to.equal('log-gap');
    expect(effects).to.deep.equal([]);
  });

  it('keeps undecodable messages before it stores the block', async () => {
    const { partition, fetch, effects } = aPartition([]);
    await partition.consume(withDead(fetch(['a', 'b'])));

    expect(effects).to.deep.equal(['commit 0 to 2', 'keep 0', 'insert 0-2 in first', 'commit 2']);
  });

  it('stops before any commit if too many messages cannot be decoded', async () => {
    const { partition, fetch, effects } = aPartition([], undefined, { maxDeadLetters: 0 });

    expect(await codeOf(partition.consume(withDead(fetch(['a', 'b']))))).to.equal('poison');
    expect(effects).to.deep.equal([]);
  });

  it('repeats no block that ClickHouse may have forgotten, but stores a new block', async () => {
    const first = aPartition([], undefined, { windowUsed: 1 });
    await first.partition.consume(first.batch);
    const again = aPartition([], anIntent(1n), { windowUsed: 1 });

    expect(await codeOf(again.partition.consume(again.batch))).to.equal('deduplication-window');
    expect(again.effects).to.deep.equal([]);
  });

  it('completes a block while ClickHouse surely knows its INSERT', async () => {
    const { partition, batch, effects } = aPartition([], anIntent(1n), { windowUsed: LARGEST_USED_RATIO });
    await partition.consume(batch);

    expect(effects).to.deep.equal(['complete 0-1', 'commit 1']);
  });

  it('asks what ClickHouse may have forgotten since the intent, and not for a new block', async () => {
    const { partition, batch, windowsRead } = aPartition([], { to: 1n, at: 1234 });
    await partition.consume(batch);
    const messages = batch.messages.map((message) => ({ ...message, offset: 1n }));
    await partition.consume({ ...batch, from: 1n, position: 2n, messages });

    expect(windowsRead).to.deep.equal([1234]);
  });
});

function anIntent(to: bigint): Intent {
  return { to, at: Date.now() };
}

function contentOf({ range, batches, tally }: Block) {
  return { to: range.to, batches: batches.map(({ batchId }) => batchId), received: tally.received };
}

/** The same with an undecodable first message. */
function withDead(batch: FetchedBatch): FetchedBatch {
  const [first, ...rest] = batch.messages;
  return first === undefined
    ? batch
    : { ...batch, messages: [{ ...first, value: bytesOf('not a message') }, ...rest] };
}

async function codeOf(outcome: Promise<void>): Promise<unknown> {
  const error = await outcome.catch((thrown: unknown) => thrown);
  return error instanceof FlagmeterError ? error.code : error;
}

type Parts = {
  effects: string[];
  stored: Block[];
  partition: Partition;
  /** The times since which it read what has passed of the deduplication window. */
  windowsRead: number[];
  /** With one message. */
  batch: FetchedBatch;
  /** Messages from 0 on, one for each batch id. */
  fetch: (batchIds: readonly string[]) => FetchedBatch;
};

/** A partition whose effects are recorded. The named effects fail the first time. */
function aPartition(lost: string[], intent?: Intent, { maxDeadLetters = 10, windowUsed = 0 } = {}): Parts {
  const effects: string[] = [];
  const stored: Block[] = [];
  const windowsRead: number[] = [];
  const effect = (name: string): Promise<void> => {
    const isLost = lost.includes(name);
    if (isLost) lost.splice(lost.indexOf(name), 1);
    effects.push(isLost ? `${name}: lost` : name);
    return isLost ? Promise.reject(new LostPartition()) : Promise.resolve();
  };
  const partition = new Partition(
    {
      topic: 'counts',
      epoch: 1,
      blocks: {
        insert: (block, session) => {
          stored.push(block);
          return effect(`insert ${rangeOf(block)} in ${session}`).then(() => session);
        },
        complete: (block) => {
          stored.push(block);
          return effect(`complete ${rangeOf(block)}`).then(() => 'second');
        },
        readWindowUsed: (sinceMs) => {
          windowsRead.push(sinceMs);
          return Promise.resolve(windowUsed);
        },
      },
      deadLetters: { keep: (_, letters) => effect(`keep ${letters.map(({ offset }) => offset).join()}`) },
      metrics: createWorkerMetrics(new Registry()),
      log: createLog('test', 'fatal'),
    },
    {
      partition: 0,
      generation: 1,
      from: 0n,
      intent,
      session: 'first',
      duplicates: new DuplicateWindow(45_000),
      series: new SeriesStates(),
      poison: new PoisonGuard(maxDeadLetters),
    },
  );
  const fetch = (batchIds: readonly string[]): FetchedBatch =>
    aFetchedBatch(batchIds, {
      commit: (offset, metadata) => {
        const to = /^flagmeter-intent:2:(\d+):/.exec(metadata)?.[1];
        return effect(`commit ${offset}${to === undefined ? metadata : ` to ${to}`}`);
      },
    });
  return { effects, stored, partition, windowsRead, batch: fetch(['a']), fetch };
}

function rangeOf({ range }: Block): string {
  return `${range.from}-${range.to}`;
}
