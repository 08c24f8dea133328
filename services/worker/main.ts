import { createLog, readConfig, runService } from '#base/runtime';
import { startWorker } from './app.ts';

const log = createLog('worker', process.env['LOG_LEVEL']);
await runService(log, (fail) => startWorker(readConfig(process.env), log, fail));
