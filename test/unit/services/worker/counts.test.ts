import { expect } from 'chai';
import type { Block } from '#core/counting';
import { type FetchedBatch, createKafka } from '#core/kafka';
import { FlagmeterError, Registry, createLog, readConfig } from '#base/runtime';
import { consumeCounts, createHandler } from '../../../../services/worker/counts/counts.ts';
import { createWorkerMetrics } from '../../../../services/worker/metrics.ts';
import { type ShardGate, createShardGate } from '../../../../services/worker/shard-gate.ts';
import { aFetchedBatch } from './fetched-batch.ts';

describe('the consumer of counts', () => {
  it('does not begin if the topic was never set up, because its offsets would belong to no epoch', async () => {
    const log = createLog('test', 'fatal');
    const { kafka: access } = readConfig({
      KAFKA_BROKERS: '127.0.0.1:1',
      CLICKHOUSE_URL: 'http://127.0.0.1:1',
      DATABASE_URL: 'postgres://127.0.0.1:1/flagmeter',
      REDIS_URL: 'redis://127.0.0.1:1',
    });
    const failure: unknown = await consumeCounts({
      topic: 'counts',
      epoch: 0,
      shardOf: () => {
        throw new Error('no partition is consumed');
      },
      kafka: createKafka({ access, clientId: 'test', retries: 0, log }),
      groupId: 'worker',
      signal: AbortSignal.abort(),
      onCrash: () => undefined,
      deadLetters: { keep: () => Promise.resolve() },
      duplicateWindowMs: 45_000,
      maxDeadLetters: 10,
      metrics: createWorkerMetrics(new Registry()),
      log,
    }).catch((error: unknown) => error);

    expect(failure).to.include({ code: 'no-epoch' });
  });
});

describe('fetched messages of counts', () => {
  it('are stored by the partition that was taken over, once in each generation of the group', async () => {
    const { effects, handle, fetch } = aHandler();
    await handle(fetch(0));
    await handle(fetch(1));
    await handle(fetch(2, { generation: 2 }));

    expect(effects).to.deep.equal([
      'take over',
      'insert 0',
      'advance',
      'insert 1',
      'advance',
      'take over',
      'insert 2',
      'advance',
    ]);
  });

  it('are of one partition each', async () => {
    const { effects, handle, fetch } = aHandler();
    await handle(fetch(0));
    await handle({ ...fetch(0), partition: 1 });

    expect(effects.filter((effect) => effect === 'take over')).to.have.length(2);
  });

  it('are postponed after two failures of their shard, and until it answers', async () => {
    let isBack = false;
    const answer = () => (isBack ? Promise.resolve() : Promise.reject(new Error('away')));
    const { effects, handle, fetch } = aHandler({ gate: createShardGate(answer), insert: answer });
    await handle(fetch(0));
    await handle(fetch(0));
    expect(effects).to.deep.equal(['take over', 'insert 0', 'complete 0', 'postpone 2000', 'postpone 2000']);

    isBack = true;
    await handle(fetch(0));
    expect(effects.slice(5)).to.deep.equal(['complete 0', 'advance']);
  });

  it('are not postponed because of an error that no other try ends', async () => {
    const gate = createShardGate(() => Promise.resolve());
    const error = new FlagmeterError('poison', '');
    const { effects, handle, fetch } = aHandler({ gate, insert: () => Promise.reject(error) });

    expect(await handle(fetch(0)).catch((thrown: unknown) => thrown)).to.equal(error);
    expect(effects).to.deep.equal(['take over', 'insert 0']);
  });
});

/** A handler whose effects are recorded. */
function aHandler({
  gate = undefined as ShardGate | undefined,
  insert = (): Promise<void> => Promise.resolve(),
} = {}) {
  const effects: string[] = [];
  const store = async (effect: string): Promise<string> => {
    effects.push(effect);
    await insert();
    return 'session';
  };
  const blocks = {
    readEpoch: () => Promise.resolve(1),
    readHistory: (_: unknown, from: bigint) =>
      Promise.resolve({ storedTo: from, countedBlocks: [], deadBlocks: [], series: [] }),
    openSession: () => Promise.resolve('session'),
    insert: ({ range }: Block) => store(`insert ${range.from}`),
    complete: ({ range }: Block) => store(`complete ${range.from}`),
    readWindowUsed: () => Promise.resolve(0),
  };
  const committedOffsets = {
    read: () => {
      effects.push('take over');
      return Promise.resolve(undefined);
    },
    readLogStart: () => Promise.resolve(0n),
  };
  const handle = createHandler(
    {
      topic: 'counts',
      epoch: 1,
      shardOf: () => ({ blocks, gate }),
      deadLetters: { keep: () => Promise.resolve() },
      duplicateWindowMs: 45_000,
      maxDeadLetters: 10,
      metrics: createWorkerMetrics(new Registry()),
      log: createLog('test', 'fatal'),
    },
    committedOffsets,
  );
  /** One message of partition 0. */
  const fetch = (from: number, { generation = 1 } = {}): FetchedBatch => {
    const batch = aFetchedBatch([`batch ${from}`], { from, commit: () => Promise.resolve() });
    return {
      ...batch,
      group: { ...batch.group, generation },
      advance: () => effects.push('advance'),
      postpone: (ms) => effects.push(`postpone ${ms}`),
    };
  };
  return { effects, handle, fetch };
}
