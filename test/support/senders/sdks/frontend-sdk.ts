import { InMemoryStorageProvider, UnleashClient } from 'unleash-proxy-client';
import { untilEndOfFile } from '../../left-behind.ts';

/** Unleash's SDK for browsers, with the `fetch` of Node. */
export type FrontendSdk = {
  isEnabled(feature: string): boolean;
  readonly impact: UnleashClient['impactMetrics'];
  readonly errors: string[];
  /** Sends its counts. */
  flush(): Promise<void>;
  dispose(): Promise<void>;
};

/** Without `metricsIntervalInitial: 0`, an SDK that is stopped within two seconds starts its timer afterwards. */
const SECONDS = { refreshInterval: 1, metricsInterval: 3600, metricsIntervalInitial: 0 };

/** Resolves when it has its features. */
export async function startFrontendSdk(url: string, secret: string, appName = 'web'): Promise<FrontendSdk> {
  const errors: string[] = [];
  const sdk = new UnleashClient({
    url: `${url}/api/frontend`,
    clientKey: secret,
    appName,
    ...SECONDS,
    storageProvider: new InMemoryStorageProvider(),
    fetch: (input, init) => fetch(input, init),
  });
  sdk.on('error', (problem) => errors.push(JSON.stringify(problem)));
  await sdk.start();
  return untilEndOfFile({
    isEnabled: (feature: string) => sdk.isEnabled(feature),
    impact: sdk.impactMetrics,
    errors,
    flush: () => sdk.sendMetrics(),
    dispose() {
      sdk.stop();
      return Promise.resolve();
    },
  });
}
