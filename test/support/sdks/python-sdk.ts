import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { inheritedEnv } from '../../../tools/clock/inherited-env.ts';
import { pythonPackages } from '../../../tools/stack/index.ts';
import { untilEndOfFile } from '../processes/left-behind.ts';
import type { Usage } from './openfeature-evaluations.ts';
import type { OpenFeatureOptions } from './openfeature-sdk.ts';

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
  const folder = import.meta.dirname;
  const child = spawn('python3', [path.join(folder, 'python_sdk.py')], {
    env: {
      ...inheritedEnv(),
      PYTHONPATH: pythonPackages,
      PYTHONDONTWRITEBYTECODE: '1',
      FLAGD_OFFLINE_FLAG_SOURCE_PATH: path.join(folder, 'flags.flagd.json'),
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: `Authorization=${secret},Idempotency-Key=${appName}`,
      OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: 'gzip',
      OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: String(timeoutMs / 1000),
      OTEL_SERVICE_NAME: appName,
      OTEL_RESOURCE_ATTRIBUTES: `service.instance.id=${appName}`,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const printed: string[] = [];
  child.stderr.on('data', (chunk: Buffer) => printed.push(chunk.toString()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const exited = once(child, 'exit');
  const failure = () => new Error(`The SDK for Python ended: ${printed.join('')}`);
  return untilEndOfFile({
    async evaluateAll(users: number) {
      child.stdin.write(`${users}\n`);
      const line = await lines.next();
      if (line.done === true) throw failure();
      return JSON.parse(line.value) as PythonLedger;
    },
    async finish() {
      child.stdin.end();
      const [code] = (await exited) as [number | null];
      if (code !== 0) throw failure();
    },
    async dispose() {
      if (child.exitCode === null) child.kill('SIGKILL');
      await exited;
    },
  });
}
