import { expect } from 'chai';
import { DuplicateWindow, type Intent, PoisonGuard } from '#domain';
import { Registry, createLog } from '#runtime';
import { type FetchedBatch, LostPartition } from '#stream';
import { createWorkerMetrics } from '../../../services/worker/metrics.ts';
import { Partition } from '../../../services/worker/partition.ts';
import { aFreshCountsValue } from '../../support/kafka-log.ts';

describe('a partition of the worker', () => {
  it('commits the intent, inserts, and commits what is stored', async () => {
    const { effects, partition, batch } = aPartition([]);
    await partition.take(batch);

    expect(effects).to.deep.equal(['commit 0 to 1', 'insert 0-1 in first', 'commit 1']);
  });

  it('inserts nothing before Kafka has acknowledged the intent, also when it is handed the messages again', async () => {
    const { effects, partition, batch } = aPartition(['commit 0 to 1']);
    const outcome = await partition.take(batch).catch((error: unknown) => error);
    await partition.take(batch);

    expect(outcome).to.be.instanceOf(LostPartition);
    expect(effects).to.deep.equal([
      'commit 0 to 1: lost',
      'commit 0 to 1',
      'insert 0-1 in first',
      'commit 1',
    ]);
  });

  it('repeats the INSERT of an older worker, which left no marks, instead of completing it', async () => {
    const { effects, partition, batch } = aPartition([], { to: 1n, at: Date.now(), leavesMarks: false });
    await partition.take(batch);

    expect(effects).to.deep.equal(['insert 0-1 in first', 'commit 1']);
  });

  it('completes the block of an intent that it may have stored, without another intent', async () => {
    const { effects, partition, batch } = aPartition(['commit 1']);
    await partition.take(batch).catch(() => undefined);
    await partition.take(batch);

    expect(effects).to.deep.equal([
      'commit 0 to 1',
      'insert 0-1 in first',
      'commit 1: lost',
      'complete 0-1',
      'commit 1',
    ]);
  });

  it('inserts what follows in the session in which it completed the block before', async () => {
    const { effects, partition, batch } = aPartition([], { to: 1n, at: Date.now(), leavesMarks: true });
    await partition.take(batch);
    const messages = batch.messages.map((message) => ({ ...message, offset: 1n }));
    await partition.take({ ...batch, from: 1n, position: 2n, messages });

    expect(effects).to.deep.equal([
      'complete 0-1',
      'commit 1',
      'commit 1 to 2',
      'insert 1-2 in second',
      'commit 2',
    ]);
  });
});

type Parts = { effects: string[]; partition: Partition; batch: FetchedBatch };

/** A partition of one message whose effects are written down. Those that are named are lost the first time. */
function aPartition(lost: string[], intent?: Intent): Parts {
  const effects: string[] = [];
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
        insert: ({ range }, session) =>
          effect(`insert ${range.from}-${range.to} in ${session}`).then(() => session),
        complete: ({ range }) => effect(`complete ${range.from}-${range.to}`).then(() => 'second'),
        readWindowUsed: () => Promise.resolve(0),
      },
      deadLetters: { keep: () => Promise.resolve() },
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
      poison: new PoisonGuard(10),
    },
  );
  const batch: FetchedBatch = {
    partition: 0,
    from: 0n,
    position: 1n,
    messages: [{ offset: 0n, value: aFreshCountsValue('a'), appendedAt: Date.now() }],
    lag: 0,
    group: {
      generation: 1,
      check: () => undefined,
      isStopping: () => false,
      heartbeat: () => Promise.resolve(),
      commit: (offset, metadata) => {
        const to = /^flagmeter-intent:2:(\d+):/.exec(metadata)?.[1];
        return effect(to === undefined ? `commit ${offset}` : `commit ${offset} to ${to}`);
      },
    },
    advance: () => undefined,
  };
  return { effects, partition, batch };
}
