import {
  pruneApplications,
  prunePastConfigurations,
  syncChangeRequests,
  syncEvents,
  syncFeatures,
  syncInstances,
  syncLastSeen,
  syncPastConfigurations,
  syncPlaces,
} from '#catalogue';
import { type ClickHouse, createBlocks, openClickHouse } from '#clickhouse';
import { serve } from '#http';
import { type BatchConsumer, createKafka, createMessageProducer, runConsumers } from '#kafka';
import { type Postgres, SERVICE_CONNECT_TIMEOUT_MS, openPostgres } from '#postgres';
import {
  type Config,
  type Fail,
  type Job,
  type Log,
  type Service,
  createRegistry,
  openTracing,
  startJob,
  untilReached,
} from '#runtime';
import { consumeApplications } from './applications.ts';
import { consumeCounts } from './counts.ts';
import { createDeadLetters } from './dead-letters.ts';
import { createWorkerMetrics } from './metrics.ts';

/** Analysts see a change of the catalogue after this time at the latest. */
const SYNC_PAUSE_MS = 30_000;

/** Lists of features show a new evaluation after this time at the latest. */
const LAST_SEEN_PAUSE_MS = 60_000;

const PRUNE_PAUSE_MS = 3_600_000;

/**
 * The worker stores counts in ClickHouse and applications in Postgres, with one consumer group for each. It listens at once and
 * connects to its engines in the background, so that it can start before them.
 */
export async function startWorker(config: Config, log: Log, fail: Fail): Promise<Service> {
  const registry = createRegistry();
  const metrics = createWorkerMetrics(registry);
  const connection = { access: config.kafka, clientId: 'flagmeter-worker', log };
  const kafka = createKafka({ ...connection, retries: 5 });
  const producer = createMessageProducer(createKafka({ ...connection, retries: 0 }));
  const clickhouse = openClickHouse(config.clickhouse);
  const db = openPostgres({ ...config.postgres, log, connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS });
  const { topics, groupPrefix } = config.kafka;
  const deadLetters = createDeadLetters({ producer, deadLetterTopic: topics.deadLetters, log });
  const blocks = createBlocks(clickhouse);
  const tracing = await openTracing(config.tracing, 'worker', log);
  const stopping = new AbortController();
  const { signal } = stopping;
  const shared = { kafka, deadLetters, metrics, log, signal, onCrash: fail };
  const startCounts = async (): Promise<BatchConsumer | undefined> => {
    const readEpoch = (): Promise<number> => blocks.readEpoch(topics.counts);
    const epoch = await untilReached(readEpoch, { engine: 'ClickHouse', log, signal });
    return epoch === undefined
      ? undefined
      : consumeCounts({
          ...shared,
          groupId: `${groupPrefix}-counts`,
          topic: topics.counts,
          epoch,
          blocks,
          tracing,
          duplicateWindowMs: config.worker.duplicateWindowMs,
          maxDeadLetters: config.worker.maxDeadLetters,
        });
  };
  const startApplications = (): Promise<BatchConsumer> =>
    consumeApplications({
      ...shared,
      groupId: `${groupPrefix}-applications`,
      topic: topics.applications,
      db,
    });
  const consumers = runConsumers([startCounts, startApplications], fail);
  const jobs = startJobs(db, clickhouse, log);
  return serve({
    config,
    log,
    registry,
    routers: [],
    readiness: () => (consumers.areJoined() ? undefined : 'The consumers have not joined their groups yet.'),
    async finish() {
      stopping.abort();
      await Promise.all([consumers.stop(), ...jobs.map((job) => job.stop())]);
      await producer.disconnect();
      await clickhouse.close();
      await db.end();
      await tracing?.stop();
    },
  });
}

/** Each runs by itself, so that one that fails does not stop the others. */
const SYNCS = {
  features: syncFeatures,
  'past configurations': syncPastConfigurations,
  instances: syncInstances,
  'projects and environments': syncPlaces,
  'change requests': syncChangeRequests,
  events: syncEvents,
};

function startJobs(db: Postgres, clickhouse: ClickHouse, log: Log): Job[] {
  return [
    startJob({ name: 'pruning of applications', pauseMs: PRUNE_PAUSE_MS, log }, (ending) =>
      pruneApplications(db, ending),
    ),
    startJob({ name: 'pruning of past configurations', pauseMs: PRUNE_PAUSE_MS, log }, (ending) =>
      prunePastConfigurations(db, clickhouse, ending),
    ),
    ...Object.entries(SYNCS).map(([name, sync]) =>
      startJob({ name: `sync of ${name}`, pauseMs: SYNC_PAUSE_MS, log }, () => sync(db, clickhouse)),
    ),
    startJob({ name: 'sync of last evaluations', pauseMs: LAST_SEEN_PAUSE_MS, log }, () =>
      syncLastSeen(db, clickhouse),
    ),
  ];
}
