import { createLog, markRarely, readConfig, runService } from '#base/runtime';
import { startIngest } from './app.ts';

markRarely();
const log = createLog('ingest', process.env['LOG_LEVEL']);
await runService(log, () => startIngest(readConfig(process.env), log));
