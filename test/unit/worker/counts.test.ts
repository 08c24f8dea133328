import { expect } from 'chai';
import { createKafka } from '#kafka';
import { Registry, createLog, readConfig } from '#runtime';
import { consumeCounts } from '../../../services/worker/counts/counts.ts';
import { createWorkerMetrics } from '../../../services/worker/metrics.ts';

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
