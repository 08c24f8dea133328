import path from 'node:path';
import { olderPythonPackages, pythonPackages } from '../../../../tools/stack/index.ts';
import { type ChildSdk, startChildSdk } from './child-sdk.ts';
import type { Usage } from './openfeature/openfeature-evaluations.ts';
import type { OpenFeatureOptions } from './openfeature/openfeature-options.ts';

/** What the SDK has returned so far. */
export type PythonLedger = {
  readonly usage: Usage;
  /** Without the evaluations that failed. */
  readonly successes: Usage;
  readonly reasons: Readonly<Record<string, number>>;
};

export type PythonSdk = {
  /** Evaluates each flag once for each user. */
  evaluateAll(users: number): Promise<PythonLedger>;
  /** Sends what waits, and ends the process. */
  finish(): Promise<void>;
  dispose(): Promise<void>;
};

/** The SDK of OpenFeature for Python, which sends span events, with the current hook or an older one. `preparePython` must have run. */
export function startPythonSdk({
  url,
  secret,
  appName,
  timeoutMs = 10_000,
  isOlder = false,
}: Omit<OpenFeatureOptions, 'sender'> & { readonly isOlder?: boolean }): PythonSdk {
  const child: ChildSdk<PythonLedger> = startChildSdk('python3', [fileOf('python_sdk.py')], {
    ...pythonOf([...(isOlder ? [olderPythonPackages] : []), pythonPackages]),
    FLAGD_OFFLINE_FLAG_SOURCE_PATH: fileOf('openfeature/flags.flagd.json'),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=${secret},Idempotency-Key=${appName}`,
    OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
    OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: String(timeoutMs / 1000),
    OTEL_SERVICE_NAME: appName,
    OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${appName}`,
  });
  return {
    evaluateAll: (users) => child.ask(String(users)),
    finish: () => child.finish(),
    dispose: () => child.dispose(),
  };
}

/** The environment of programs that use packages of `preparePython`, those of the first folder first. */
export function pythonOf(folders: readonly string[]): Readonly<Record<string, string>> {
  return { PYTHONPATH: folders.join(path.delimiter), PYTHONDONTWRITEBYTECODE: '1' };
}

export function fileOf(name: string): string {
  return path.join(import.meta.dirname, name);
}
