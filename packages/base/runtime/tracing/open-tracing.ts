import type { Config } from '../config/config.ts';
import type { Log } from '../log.ts';
import type { Tracing } from './span.ts';

/** Undefined if tracing is off. Then OpenTelemetry is not even loaded, which takes 15 MB and a fifth of a second. */
export async function openTracing(
  config: Config['tracing'],
  service: string,
  log: Log,
): Promise<Tracing | undefined> {
  if (config === undefined) return undefined;
  const { createTracing } = await import('./opentelemetry.ts');
  log.info({ url: config.url, sampler: config.sampler }, 'sending traces');
  return createTracing(config, service, log);
}
