import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inheritedEnv } from '../../clock/inherited-env.ts';
import { collectorBinary } from '../install/prepare/prepare-collector.ts';
import { type Engine, StackError, launchEngine } from '#tooling/stack';

export type CollectorOptions = {
  readonly directory: string;
  /** Where it receives OTLP/HTTP. Only used to recognise its process. */
  readonly port: number;
  /** Its configuration file, as JSON, which is YAML. */
  readonly configuration: object;
};

/** A real OpenTelemetry Collector. It sends what it holds when it is stopped. */
export async function startCollector({ directory, port, configuration }: CollectorOptions): Promise<Engine> {
  if (!existsSync(collectorBinary))
    throw new StackError('not-installed', 'The Collector was not built: prepareCollector');
  const file = path.join(path.resolve(directory), `collector-${port}.json`);
  await writeFile(file, JSON.stringify(configuration));
  return launchEngine({
    name: 'collector',
    title: 'the Collector',
    address: `http://127.0.0.1:${port}`,
    directory,
    command: collectorBinary,
    args: ['--config', file],
    options: { env: inheritedEnv() },
    mark: file,
    isReady: (_, log) => Promise.resolve(log.includes('Everything is ready')),
    stopSignal: 'SIGTERM',
  });
}
