import { createRequire } from 'node:module';
import path from 'node:path';
import { hooksDirectory } from '../../../../../tools/stack/index.ts';
import type { OpenFeatureHook } from './openfeature-options.ts';

type OlderHooks = Readonly<Record<'MetricsHook' | 'TracingHook', new () => OpenFeatureHook>>;

/** A hook of the version that `prepareHooks` installs. It finds the global providers of this process. */
export function createOlderHook(name: keyof OlderHooks): OpenFeatureHook {
  const load = createRequire(path.join(hooksDirectory, 'package.json'));
  const hooks = load('@openfeature/open-telemetry-hooks') as OlderHooks; // of version 0.4.0
  return new hooks[name]();
}
