import { createLog, readConfig, runService } from '#base/runtime';
import { startAdmin } from './app.ts';

const log = createLog('admin', process.env['LOG_LEVEL']);
await runService(log, () => startAdmin(readConfig(process.env), log));
