import { createLog, readConfig, runService } from '#runtime';
import { startFront } from './app.ts';
import { createPeers } from './peers.ts';

const log = createLog('front', process.env['LOG_LEVEL']);
const readPeers = createPeers(process);
await runService(log, () => startFront(readConfig(process.env), log, readPeers));
