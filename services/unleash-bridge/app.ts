import { serve } from '#base/http';
import { type Config, type Fail, type Log, type Service, createRegistry } from '#base/runtime';
import { startCatalogue } from './catalogue/start-catalogue.ts';
import { startMirror } from './mirror/start-mirror.ts';

/**
 * The background process that mirrors counts to Unleash and copies its catalogue. It listens at once, and then waits for its
 * engines and for Unleash.
 */
export async function startUnleashBridge(config: Config, log: Log, fail: Fail): Promise<Service> {
  const { unleash } = config;
  const registry = createRegistry();
  const mirror =
    unleash?.mirror &&
    startMirror({ config, unleash: { url: unleash.url, ...unleash.mirror }, registry, log, fail });
  const catalogue =
    unleash?.adminToken === undefined
      ? undefined
      : startCatalogue({
          unleash: { url: unleash.url, adminToken: unleash.adminToken },
          postgres: config.postgres,
          registry,
          log,
        });
  return serve({
    config,
    log,
    registry,
    routers: [],
    readiness: () => mirror?.readiness(),
    async finish() {
      await Promise.all([mirror?.stop(), catalogue?.stop()]);
    },
  });
}
