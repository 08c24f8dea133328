import { createLog, readConfig, runService } from '#base/runtime';
import { startUnleashBridge } from './app.ts';

const log = createLog('unleash-bridge', process.env['LOG_LEVEL']);
await runService(log, (fail) => startUnleashBridge(readConfig(process.env), log, fail));
