import { createRequire } from 'node:module';
import path from 'node:path';
import { olderSdks } from '../../../../../tools/stack/index.ts';
import type { OpenFeatureHook } from './openfeature-options.ts';

type OlderHooks = Readonly<Record<'MetricsHook' | 'TracingHook', new () => OpenFeatureHook>>;

/** A hook of a version that `prepareOlderSdks` installs. It finds the global providers of this process. */
export function createOlderHook(version: '0.2.4' | '0.4.0', name: keyof OlderHooks): OpenFeatureHook {
  const load = createRequire(path.join(olderSdks, 'package.json'));
  const hooks = load(`hooks-${version}`) as OlderHooks; // both versions have these
  return new hooks[name]();
}
