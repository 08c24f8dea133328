import path from 'node:path';
import { pythonPackages } from '../../../../tools/stack/index.ts';
import { type ChildSdk, startChildSdk } from './child-sdk.ts';
import type { Usage } from './openfeature/openfeature-evaluations.ts';
import type { OpenFeatureOptions } from './openfeature/openfeature-options.ts';

/** What the SDK has returned so far. */
export type PythonLedger = { readonly usage: Usage; readonly reasons: Readonly<Record<string, number>> };

export type PythonSdk = {
  /** Evaluates each flag once for each user. */
  evaluateAll(users: number): Promise<PythonLedger>;
  /** Sends what waits, and ends the process. */
  finish(): Promise<void>;
  dispose(): Promise<void>;
};

/** The SDK of OpenFeature for Python, which sends span events. `preparePython` must have run. */
export function startPythonSdk({
  url,
  secret,
  appName,
  timeoutMs = 10_000,
}: Omit<OpenFeatureOptions, 'sender'>): PythonSdk {
  const child: ChildSdk<PythonLedger> = startChildSdk('python3', [fileOf('python_sdk.py')], {
    ...PYTHON,
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

/** The environment of programs that use the packages of `preparePython`. */
export const PYTHON = { PYTHONPATH: pythonPackages, PYTHONDONTWRITEBYTECODE: '1' };

export function fileOf(name: string): string {
  return path.join(import.meta.dirname, name);
}
