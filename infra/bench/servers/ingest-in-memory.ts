import { createLog, markInOneStep, readConfig, runService } from '#runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import type { Broker } from '../../../services/ingest/publish/broker.ts';

/** A broker that acknowledges at once and keeps nothing: what ingest costs without Kafka and its client. */
const broker: Broker = {
  readPartitionCount: () => Promise.resolve(4),
  send: () => Promise.resolve({ outcome: 'stored' }),
  disconnect: () => Promise.resolve(),
};

markInOneStep();
const log = createLog('ingest-in-memory', process.env['LOG_LEVEL']);
await runService(log, () => startIngest(readConfig(process.env), log, broker));
