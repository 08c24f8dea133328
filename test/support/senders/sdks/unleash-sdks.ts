import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { compileForJavaSdk, prepareJavaSdk, preparePython } from '../../../../tools/stack/index.ts';
import { type ChildSdk, startChildSdk } from './child-sdk.ts';
import { startNodeSdk } from './node-sdk.ts';
import type { Usage } from './openfeature/openfeature-evaluations.ts';
import { PYTHON, fileOf } from './python-sdk.ts';

/** One of Unleash's SDKs for servers, which reports once a second. */
export type UnleashSdk = {
  /** Asks for the feature and for its variant, once for each user. Resolves with what the SDK has returned so far. */
  evaluate(feature: string, users: number): Promise<Usage>;
  /** Counts an impact metric, without an evaluation. */
  purchase(count: number): Promise<void>;
  /** Stops it; it may not send what waits. */
  dispose(): Promise<void>;
};

export type UnleashSdkOptions = {
  readonly url: string;
  readonly secret: string;
  /** Also its instance. */
  readonly appName: string;
};

export const UNLEASH_SDKS = { node: startNode, java: startJava, python: startPython } as const;

async function startNode({ url, secret, appName }: UnleashSdkOptions): Promise<UnleashSdk> {
  const sdk = await startNodeSdk({ url, secret, appName, instanceId: appName, metricsInterval: 1000 });
  sdk.impact.defineCounter('purchases', 'Completed purchases');
  const usage: Record<string, { yes: number; no: number; variants: Record<string, number> }> = {};
  return {
    evaluate(feature, users) {
      const sums = (usage[feature] ??= { yes: 0, no: 0, variants: {} });
      for (let user = 0; user < users; user += 1) {
        const isYes = sdk.isEnabled(feature, `user-${user}`);
        const variant = sdk.variantOf(feature, `user-${user}`);
        sums[isYes ? 'yes' : 'no'] += 2;
        sums.variants[variant] = (sums.variants[variant] ?? 0) + 1;
      }
      return Promise.resolve(usage);
    },
    purchase(count) {
      sdk.impact.incrementCounter('purchases', count);
      return Promise.resolve();
    },
    dispose: () => sdk.dispose(),
  };
}

async function startJava(options: UnleashSdkOptions): Promise<UnleashSdk> {
  await prepareJavaSdk();
  const folder = await mkdtemp(path.join(tmpdir(), 'flagmeter-java-sdk-'));
  const classPath = await compileForJavaSdk(fileOf('JavaSdk.java'), folder);
  const sdk = ofChild(startChildSdk('java', ['-cp', classPath, 'JavaSdk'], envOf(options)));
  return {
    ...sdk,
    async dispose() {
      await sdk.dispose();
      await rm(folder, { recursive: true });
    },
  };
}

async function startPython(options: UnleashSdkOptions): Promise<UnleashSdk> {
  await preparePython();
  return ofChild(startChildSdk('python3', [fileOf('unleash_sdk.py')], { ...PYTHON, ...envOf(options) }));
}

function envOf({ url, secret, appName }: UnleashSdkOptions): Readonly<Record<string, string>> {
  return { SDK_URL: url, SDK_TOKEN: secret, SDK_APP_NAME: appName };
}

function ofChild(child: ChildSdk<Usage>): UnleashSdk {
  return {
    evaluate: (feature, users) => child.ask(`evaluate ${feature} ${users}`),
    async purchase(count) {
      await child.ask(`purchase ${count}`);
    },
    dispose: () => child.dispose(),
  };
}
