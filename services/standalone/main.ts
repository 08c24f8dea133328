import { createLog, readConfig, runService } from '#runtime';
import { startFront } from './app.ts';

const log = createLog('front', process.env['LOG_LEVEL']);
await runService(log, () => startFront(readConfig(process.env), log));
