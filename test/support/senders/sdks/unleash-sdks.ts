import { createRequire } from 'node:module';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  compileForJavaSdk,
  javaProgram,
  olderPythonPackages,
  olderSdks,
  prepareJavaSdk,
  prepareOlderSdks,
  preparePython,
  pythonPackages,
} from '../../../../tools/stack/index.ts';
import { type ChildSdk, startChildSdk } from './child-sdk.ts';
import { type NodeSdk, type NodeSdkOptions, startNodeSdk } from './node-sdk.ts';
import type { Usage } from './openfeature/openfeature-evaluations.ts';
import { fileOf, pythonOf } from './python-sdk.ts';

/** One of Unleash's SDKs for servers, which reports once a second. */
export type UnleashSdk = {
  /** Asks for the feature and for its variant, once for each user. Resolves with what the SDK has returned so far. */
  evaluate(feature: string, users: number): Promise<Usage>;
  /** Counts an impact metric, without an evaluation. Older SDKs have none. */
  purchase?(count: number): Promise<void>;
  /** Stops it; it may not send what waits. */
  dispose(): Promise<void>;
};

export type UnleashSdkOptions = {
  readonly url: string;
  readonly secret: string;
  /** Also its instance. */
  readonly appName: string;
};

/** By language, and by version if it is an older one. */
export const UNLEASH_SDKS = {
  'Node 6': startNode,
  'Node 5': startOlderNode('unleash-client-5'),
  'Node 3': startOlderNode('unleash-client-3'),
  Java: startJava,
  'Python 6': startPython([pythonPackages], ofChild),
  'Python 5': startPython([olderPythonPackages, pythonPackages], ofOlderChild),
} as const;

async function startNode(options: UnleashSdkOptions): Promise<UnleashSdk> {
  const sdk = await startNodeSdk(nodeOptionsOf(options));
  sdk.impact.defineCounter('purchases', 'Completed purchases');
  return {
    ...evaluatedBy(sdk),
    purchase(count) {
      sdk.impact.incrementCounter('purchases', count);
      return Promise.resolve();
    },
  };
}

function startOlderNode(name: string) {
  return async (options: UnleashSdkOptions): Promise<UnleashSdk> => {
    await prepareOlderSdks();
    const load = createRequire(path.join(olderSdks, 'package.json'));
    // What the tests use of it is the same.
    const installed = load(name) as Required<NodeSdkOptions>['package'];
    return evaluatedBy(await startNodeSdk({ ...nodeOptionsOf(options), package: installed }));
  };
}

function nodeOptionsOf({ url, secret, appName }: UnleashSdkOptions): NodeSdkOptions {
  return { url, secret, appName, instanceId: appName, metricsInterval: 1000 };
}

function evaluatedBy(sdk: NodeSdk): UnleashSdk {
  const usage: Record<string, { yes: number; no: number; variants: Record<string, number> }> = {};
  return {
    evaluate(feature, users) {
      const sums = (usage[feature] ??= { yes: 0, no: 0, variants: {} });
      for (let user = 0; user < users; user += 1) {
        const variant = sdk.evaluateVariant(feature, `user-${user}`);
        for (const isYes of [sdk.isEnabled(feature, `user-${user}`), variant.isYes])
          sums[isYes ? 'yes' : 'no'] += 1;
        sums.variants[variant.name] = (sums.variants[variant.name] ?? 0) + 1;
      }
      return Promise.resolve(usage);
    },
    dispose: () => sdk.dispose(),
  };
}

async function startJava(options: UnleashSdkOptions): Promise<UnleashSdk> {
  await prepareJavaSdk();
  const folder = await mkdtemp(path.join(tmpdir(), 'flagmeter-java-sdk-'));
  const classPath = await compileForJavaSdk(fileOf('JavaSdk.java'), folder);
  const sdk = ofChild(startChildSdk(javaProgram, ['-cp', classPath, 'JavaSdk'], envOf(options)));
  return {
    ...sdk,
    async dispose() {
      await sdk.dispose();
      await rm(folder, { recursive: true });
    },
  };
}

function startPython(folders: readonly string[], sdkOf: (child: ChildSdk<Usage>) => UnleashSdk) {
  return async (options: UnleashSdkOptions): Promise<UnleashSdk> => {
    await preparePython();
    const env = { ...pythonOf(folders), ...envOf(options) };
    return sdkOf(startChildSdk('python3', [fileOf('unleash_sdk.py')], env));
  };
}

function envOf({ url, secret, appName }: UnleashSdkOptions): Readonly<Record<string, string>> {
  return { SDK_URL: url, SDK_TOKEN: secret, SDK_APP_NAME: appName };
}

function ofChild(child: ChildSdk<Usage>): UnleashSdk {
  return {
    ...ofOlderChild(child),
    async purchase(count) {
      await child.ask(`purchase ${count}`);
    },
  };
}

/** Without impact metrics. */
function ofOlderChild(child: ChildSdk<Usage>): UnleashSdk {
  return {
    evaluate: (feature, users) => child.ask(`evaluate ${feature} ${users}`),
    dispose: () => child.dispose(),
  };
}
