import { serve } from '#http';
import {
  type Config,
  type Fail,
  type Log,
  type Service,
  createRegistry,
  startJob,
  untilReached,
} from '#runtime';
import { copyFeatures, copyInstances, createBlocks, openClickHouse, openPostgres } from '#stores';
import { createKafka, createMessageProducer } from '#stream';
import { consumeApplications } from './applications.ts';
import { consumeCounts } from './counts.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createWorkerMetrics } from './metrics.ts';

/** Analysts see a change of a feature or an instance after this time at most. */
const COPY_PAUSE_MS = 30_000;

/** The worker: counts into ClickHouse, applications into Postgres, each in a consumer group of its own. */
export async function startWorker(config: Config, log: Log, fail: Fail): Promise<Service> {
  const registry = createRegistry();
  const metrics = createWorkerMetrics(registry);
  const connection = { brokers: config.kafka.brokers, clientId: 'flagmeter-worker', log };
  const kafka = createKafka({ ...connection, retries: 5 });
  const producer = createMessageProducer(createKafka({ ...connection, retries: 0 }));
  const clickhouse = openClickHouse(config.clickhouse);
  const db = openPostgres({ ...config.postgres, log });
  const { topics, groupPrefix } = config.kafka;
  const deadLetters = createDeadLetters(producer, topics.deadLetters);
  const blocks = createBlocks(clickhouse);
  const shared = { kafka, deadLetters, metrics, log, onCrash: fail };
  const reachEpoch = untilReached(() => blocks.readEpoch(topics.counts), { engine: 'clickhouse', log });
  const epoch = (await reachEpoch) ?? 0;
  const [counts, applications] = await Promise.all([
    consumeCounts({
      ...shared,
      groupId: `${groupPrefix}-counts`,
      topic: topics.counts,
      epoch,
      blocks,
      duplicateWindowMs: config.worker.duplicateWindowMs,
      maxDeadLetters: config.worker.maxDeadLetters,
    }),
    consumeApplications({
      ...shared,
      groupId: `${groupPrefix}-applications`,
      topic: topics.applications,
      db,
    }),
  ]);
  const copying = startJob({ name: 'copies for analysts', pauseMs: COPY_PAUSE_MS, log }, async () => {
    await copyFeatures(db, clickhouse);
    await copyInstances(db, clickhouse);
  });
  const isJoined = (): boolean => counts.isJoined() && applications.isJoined();
  return serve({
    config,
    log,
    registry,
    routers: [],
    readiness: () => (isJoined() ? undefined : 'The consumers have not joined their groups.'),
    async finish() {
      await Promise.all([counts.stop(), applications.stop(), copying.stop()]);
      await producer.disconnect();
      await clickhouse.close();
      await db.end();
    },
  });
}
