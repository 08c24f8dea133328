import { pairsOf } from '../config-formats.ts';
import type { Environment } from '../settings/config-schema.ts';
import type { Tls } from '../tls.ts';

export type TracingConfig = NonNullable<ReturnType<typeof tracingOf>>;

/** Undefined without an endpoint, or if tracing is switched off. */
export function tracingOf(env: Environment, tls: Tls) {
  const url = endpointOf(env);
  const isOff = env.OTEL_SDK_DISABLED || env.OTEL_TRACES_EXPORTER === 'none';
  if (url === undefined || isOff || env.OTEL_TRACES_SAMPLER === 'always_off') return undefined;
  return {
    url,
    tls: url.startsWith('https:') ? tls : undefined,
    protocol: env.OTEL_EXPORTER_OTLP_PROTOCOL,
    headers: pairsOf(env.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMs: env.OTEL_EXPORTER_OTLP_TIMEOUT,
    serviceName: env.OTEL_SERVICE_NAME === '' ? undefined : env.OTEL_SERVICE_NAME,
    resource: pairsOf(env.OTEL_RESOURCE_ATTRIBUTES),
    sampler: env.OTEL_TRACES_SAMPLER,
    sampledRatio: env.OTEL_TRACES_SAMPLER_ARG,
    maxQueuedSpans: env.OTEL_BSP_MAX_QUEUE_SIZE,
    sendAfterMs: env.OTEL_BSP_SCHEDULE_DELAY,
  };
}

function endpointOf(env: Environment): string | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: exact } = env;
  return exact ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`);
}
