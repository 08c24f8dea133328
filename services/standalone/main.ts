import cluster from 'node:cluster';
import { createLog, markRarely, readConfig, readConfigOfOne, runService } from '#base/runtime';
import { startStandalone } from './app.ts';
import { createPeers } from './peers.ts';

markRarely();
const log = createLog('standalone', process.env['LOG_LEVEL']);
// Otherwise node:cluster would exit at once when the supervisor ends, without an answer to open requests.
if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
const peers = cluster.isWorker ? createPeers(process) : undefined;
await runService(log, () => {
  const config = peers === undefined ? readConfig(process.env) : readConfigOfOne(process.env);
  return startStandalone(config, log, peers);
});
