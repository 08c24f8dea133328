import { openCredentials } from '#auth';
import { serve } from '#http';
import { type Config, type Log, type Service, createRegistry, mergeMetrics, openTracing } from '#runtime';
import { createAdmin } from '../admin/index.ts';
import { createIngest } from '../ingest/index.ts';
import type { ReadPeers } from './peers.ts';

const noPeers: ReadPeers = () => Promise.resolve({});

/**
 * Runs ingest and admin in one process: on one port, or on two if it runs in front of Unleash. A single machine needs only this
 * process and a worker. This process also shows the metrics of the worker.
 */
export async function startStandalone(config: Config, log: Log, readPeers = noPeers): Promise<Service> {
  const registry = createRegistry();
  const credentials = openCredentials(config, log);
  const tracing = await openTracing(config.tracing, 'standalone', log);
  const ingest = createIngest({ config, credentials, registry, log, tracing });
  const admin = createAdmin({ config, log, registry, tracing, ...credentials });
  return serve({
    config,
    log,
    registry,
    tls: config.http.tls,
    async readMetrics() {
      const [standalone, peers] = await Promise.all([registry.getMetricsAsJSON(), readPeers()]);
      return mergeMetrics({ standalone, ...peers });
    },
    // Unleash has its own admin API.
    ...(config.unleash === undefined
      ? {
          middleware: [ingest.middleware, ...admin.middleware],
          routers: [ingest.router, ...admin.routers],
        }
      : {
          middleware: [ingest.middleware],
          routers: [ingest.router],
          fallback: ingest.passThrough?.middleware,
          admin: { ...admin, port: config.unleash.adminPort },
        }),
    onClosing() {
      ingest.passThrough?.end();
      admin.endStreams();
    },
    readiness: async () => ingest.readiness() ?? (await admin.readiness()),
    async finish() {
      await ingest.stop();
      await admin.stop();
      await credentials.close();
      await tracing?.stop();
    },
  });
}
