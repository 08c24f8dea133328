import { createLog, readConfig, runService } from '#runtime';
import { startStandalone } from './app.ts';
import { createPeers } from './peers.ts';

const log = createLog('standalone', process.env['LOG_LEVEL']);
const readPeers = createPeers(process);
await runService(log, () => startStandalone(readConfig(process.env), log, readPeers));
