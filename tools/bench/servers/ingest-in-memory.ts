import { createLog, markRarely, readConfig, runService } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import type { Broker } from '../../../services/ingest/publish/broker.ts';

/**
 * Ingest with a broker that acknowledges at once and keeps nothing. This shows the cost of ingest without Kafka and
 * its client.
 */
const broker: Broker = {
  readPartitionCount: () => Promise.resolve(4),
  send: () => Promise.resolve({ outcome: 'stored' }),
  disconnect: () => Promise.resolve(),
};

markRarely();
const log = createLog('ingest-in-memory', process.env['LOG_LEVEL']);
await runService(log, () => startIngest(readConfig(process.env), log, broker));
