import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Blocks, createBlocks, openClickHouse } from '#core/clickhouse';
import { createKafka, createMessageProducer } from '#core/kafka';
import { createLog, createRegistry, readConfig, runService } from '#base/runtime';
import { consumeCounts } from '../../../services/worker/counts/counts.ts';
import { createDeadLetters } from '../../../services/worker/dead-letter-topic.ts';
import { createWorkerMetrics } from '../../../services/worker/metrics.ts';

/**
 * The worker without the INSERT: fetches, decodes, adds up and commits, in its own consumer group. A GET returns the
 * number of rows so far.
 */
const log = createLog('worker-without-inserting', process.env['LOG_LEVEL']);

await runService(log, async (fail) => {
  const config = readConfig(process.env);
  const { topics, groupPrefix } = config.kafka;
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-bench', retries: 5, log });
  const producer = createMessageProducer(kafka);
  const clickhouse = openClickHouse(config.clickhouse);
  let rows = 0;
  const blocks: Blocks = {
    ...createBlocks(clickhouse),
    insert({ tally }, session) {
      rows += tally.counted;
      return Promise.resolve(session);
    },
  };
  const consumer = await consumeCounts({
    kafka,
    groupId: `${groupPrefix}-without-inserting`,
    topic: topics.counts,
    epoch: await blocks.readEpoch(topics.counts),
    shardOf: () => ({ blocks, gate: undefined }),
    deadLetters: createDeadLetters({ producer, deadLetterTopic: topics.deadLetters, log }),
    metrics: createWorkerMetrics(createRegistry()),
    duplicateWindowMs: config.worker.duplicateWindowMs,
    maxDeadLetters: config.worker.maxDeadLetters,
    log,
    signal: new AbortController().signal,
    onCrash: fail,
  });
  const server = createServer((_request, response) => response.end(JSON.stringify({ rows })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // an address is a string for pipes only
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      server.close();
      server.closeAllConnections();
      await consumer.stop();
      await producer.disconnect();
      await clickhouse.close();
    },
  };
});
