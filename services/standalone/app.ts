import { openCredentials } from '#base/auth';
import { openUnleashTokens } from '#unleash/tokens';
import { serve } from '#base/http';
import {
  type Config,
  ConfigError,
  type Log,
  Registry,
  type Service,
  createRegistry,
  mergeMetrics,
  openTracing,
} from '#base/runtime';
import { createAdmin } from '../admin/index.ts';
import { openIngest } from '../ingest/index.ts';
import type { Peers } from './peers.ts';

/**
 * Runs ingest and admin in one process: on one port, or on two if it runs in front of Unleash. A single machine needs only this
 * process and a worker. With `peers` it shares its ports with further processes of its kind, and also shows the metrics of all others.
 */
export async function startStandalone(config: Config, log: Log, peers?: Peers): Promise<Service> {
  rejectSharedPort(config);
  const registry = createRegistry();
  const accountingRegistry = new Registry();
  const credentials = openCredentials(config, log, {
    others: openUnleashTokens(config, log),
    supervisor: peers?.supervisor,
  });
  const tracing = await openTracing(config.tracing, 'standalone', log);
  const ingest = openIngest({ config, credentials, registry, log, tracing });
  const admin = createAdmin({ config, log, registry, accountingRegistry, tracing, ...credentials });
  return serve({
    config,
    log,
    registry,
    tls: config.http.tls,
    async readMetrics() {
      const own = await registry.getMetricsAsJSON();
      const [all, accounting, unmerged] = await Promise.all([
        peers?.readMetrics(own) ?? { standalone: own },
        accountingRegistry.getMetricsAsJSON(),
        peers?.readUnmerged() ?? [],
      ]);
      // The accounting is the same in each process, so it has the same label in each.
      const merged = mergeMetrics({ ...all, standalone: [...accounting, ...(all['standalone'] ?? [])] });
      return Buffer.concat([Buffer.from(await merged), ...unmerged]);
    },
    sharing: peers,
    direct: ingest.direct,
    // Unleash has its own admin API.
    ...(config.unleash === undefined
      ? {
          middleware: admin.middleware,
          routers: [ingest.router, ...admin.routers],
        }
      : {
          routers: [ingest.router],
          fallback: ingest.fallback?.middleware,
          admin: { ...admin, port: config.unleash.adminPort },
        }),
    onClosing() {
      ingest.fallback?.end();
    },
    // Batches are accepted without what the admin API needs.
    readiness: () => ingest.readiness(),
    adminReadiness: () => admin.readiness(),
    async finish() {
      await ingest.stop();
      await admin.stop();
      await credentials.close();
      await tracing?.stop();
    },
  });
}

/** `readConfig` accepts a PORT that is the default of ADMIN_PORT, because a separate admin process has only one port. */
function rejectSharedPort({ http, unleash }: Config): void {
  if (unleash !== undefined && unleash.adminPort !== 0 && unleash.adminPort === http.port)
    throw new ConfigError(
      `PORT and ADMIN_PORT are both ${http.port}: with UNLEASH_URL, the admin API needs another port`,
    );
}
