import { createLog, readConfig, runService } from '#runtime';
import { startUnleash } from './app.ts';

const log = createLog('unleash', process.env['LOG_LEVEL']);
await runService(log, (fail) => startUnleash(readConfig(process.env), log, fail));
