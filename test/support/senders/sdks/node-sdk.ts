import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import * as current from 'unleash-client';
import type { Unleash } from 'unleash-client';
import { untilEndOfFile } from '../../left-behind.ts';

/** Unleash's SDK for Node, as a service uses it: it knows one address and one token. */
export type NodeSdk = {
  isEnabled(feature: string, userId?: string): boolean;
  variantOf(feature: string, userId: string): string;
  /** The variant, and how this counts as an evaluation. */
  evaluateVariant(feature: string, userId: string): { readonly name: string; readonly isYes: boolean };
  /** Its counters, gauges and histograms. */
  readonly impact: Unleash['impactMetrics'];
  /** Warnings of the SDK. */
  readonly warnings: string[];
  /** Sends its counts. */
  flush(): Promise<void>;
  dispose(): Promise<void>;
};

export type NodeSdkOptions = {
  readonly url: string;
  readonly secret: string;
  readonly mode?: 'polling' | 'streaming';
  readonly appName?: string;
  readonly instanceId?: string;
  /** By default it sends only on request. */
  readonly metricsInterval?: number;
  /** The SDK, by default that of package.json. */
  readonly package?: typeof current;
};

const REFRESH_MS = 300;

/** Resolves when it has its features. */
export async function startNodeSdk(options: NodeSdkOptions): Promise<NodeSdk> {
  const { url, secret, mode = 'polling', metricsInterval = 3_600_000 } = options;
  const { appName = 'shop', instanceId = randomBytes(5).toString('hex') } = options;
  const { package: installed = current } = options;
  const warnings: string[] = [];
  const sdk = new installed.Unleash({
    url: `${url}/api/`,
    appName,
    instanceId,
    customHeaders: { Authorization: secret },
    refreshInterval: REFRESH_MS,
    metricsInterval,
    storageProvider: new installed.InMemStorageProvider(),
    skipInstanceCountWarning: true,
    experimentalMode: mode === 'streaming' ? { type: 'streaming' } : { type: 'polling', format: 'full' },
  });
  const note = (problem: unknown): void => {
    warnings.push(String(problem));
  };
  sdk.on('error', note);
  sdk.on('warn', note);
  await once(sdk, 'synchronized', { signal: AbortSignal.timeout(30_000) });
  return untilEndOfFile({
    isEnabled: (feature: string, userId = 'somebody') => sdk.isEnabled(feature, { userId }),
    variantOf: (feature: string, userId: string) => sdk.getVariant(feature, { userId }).name,
    evaluateVariant(feature: string, userId: string) {
      const { name, enabled, feature_enabled: isYes = enabled } = sdk.getVariant(feature, { userId });
      return { name, isYes };
    },
    impact: sdk.impactMetrics,
    warnings,
    flush: () => sdk.flushMetrics(),
    async dispose() {
      if (mode === 'polling') await endOfPoll(sdk);
      sdk.destroy();
    },
  });
}

/** A poll may be repeated after seconds. After a 401 an SDK polls no more. */
const LONGEST_POLL_MS = 10_000;

/** An SDK that is destroyed while it polls leaves an unhandled rejection if the poll then fails. */
async function endOfPoll(sdk: Unleash): Promise<void> {
  await Promise.race([
    ...['changed', 'unchanged', 'error', 'warn'].map(
      (event) => new Promise((resolve) => sdk.once(event, resolve)),
    ),
    sleep(LONGEST_POLL_MS),
  ]);
}
