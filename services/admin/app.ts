import { openCredentials } from '#base/auth';
import { serve } from '#base/http';
import { type Config, type Log, type Service, createRegistry, openTracing } from '#base/runtime';
import { createAdmin } from './admin.ts';

/** Runs the admin API as a separate process. */
export async function startAdmin(config: Config, log: Log): Promise<Service> {
  const registry = createRegistry();
  const credentials = openCredentials(config, log);
  const tracing = await openTracing(config.tracing, 'admin', log);
  const admin = createAdmin({ config, log, registry, tracing, ...credentials });
  return serve({
    config,
    log,
    registry,
    tls: config.http.tls,
    routers: admin.routers,
    middleware: admin.middleware,
    readiness: () => admin.readiness(),
    async finish() {
      await admin.stop();
      await credentials.close();
      await tracing?.stop();
    },
  });
}
