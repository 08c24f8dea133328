import { createLog, markInOneStep, readConfig, runService } from '#runtime';
import { startIngest } from './app.ts';

markInOneStep();
const log = createLog('ingest', process.env['LOG_LEVEL']);
await runService(log, () => startIngest(readConfig(process.env), log));
