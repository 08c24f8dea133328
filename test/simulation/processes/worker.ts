import { createBlocks } from '../../../packages/core/clickhouse/blocks/blocks.ts';
import { overReplicas } from '../../../packages/core/clickhouse/client/replicas.ts';
import { createMessageProducer } from '#core/kafka';
import { Registry, Troubles } from '#base/runtime';
import { consumeApplications } from '../../../services/worker/fleet/applications.ts';
import { createDeadLetters } from '../../../services/worker/dead-letter-topic.ts';
import { consumeCounts } from '../../../services/worker/counts/counts.ts';
import { createWorkerMetrics } from '../../../services/worker/metrics.ts';
import { createSimulatedClient } from '../clickhouse/client.ts';
import { createSimulatedKafka } from '../kafka/client.ts';
import { APPLICATIONS, APPLICATIONS_GROUP, COUNTS, COUNTS_GROUP, DEAD_LETTERS, WINDOW_MS } from '../names.ts';
import { type Running, createLog } from './process.ts';
import type { Surroundings } from './surroundings.ts';

/** The worker of counts and applications, with the code of services/worker. */
export async function startWorker(
  world: Surroundings,
  name: string,
  fail: (error: unknown) => void,
): Promise<Running> {
  const kafka = createSimulatedKafka(world);
  const log = createLog(world, name);
  const stopping = new AbortController();
  const db = overReplicas(
    world.clickhouse.map((server) => ({
      client: createSimulatedClient(world.network, server),
      check: () => Promise.resolve(),
    })),
  );
  const blocks = createBlocks(db);
  const shared = {
    kafka,
    deadLetters: createDeadLetters({
      producer: createMessageProducer(kafka),
      deadLetterTopic: DEAD_LETTERS,
      log,
    }),
    metrics: createWorkerMetrics(new Registry()),
    log,
    signal: stopping.signal,
    troubles: new Troubles(),
    onCrash: fail,
  };
  const counts = consumeCounts({
    ...shared,
    groupId: COUNTS_GROUP,
    topic: COUNTS,
    epoch: world.clickhouse[0]?.epoch ?? 0,
    shardOf: () => ({ blocks, gate: undefined }),
    duplicateWindowMs: WINDOW_MS,
    maxDeadLetters: world.maxDeadLetters,
  });
  const applications = consumeApplications({
    ...shared,
    groupId: APPLICATIONS_GROUP,
    topic: APPLICATIONS,
    db: world.postgres.db(),
  });
  const consumers = await Promise.all([counts, applications]);
  return {
    async stop() {
      stopping.abort();
      await Promise.all(consumers.map((consumer) => consumer.stop()));
    },
  };
}
