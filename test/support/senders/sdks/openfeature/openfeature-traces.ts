import { AsyncLocalStorage } from 'node:async_hooks';
import { type Context, type ContextManager, ROOT_CONTEXT, context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { FlagClient, OpenFeatureOptions, Origin } from './openfeature-options.ts';

/** The provider of spans for the hooks of this process. */
export function provideTraces(
  { url, secret, timeoutMs = 10_000 }: OpenFeatureOptions,
  { resource, instance }: Origin,
): TracerProvider {
  const exporter = new OTLPTraceExporter({
    url: `${url}/v1/traces`,
    headers: { Authorization: secret, 'Idempotency-Key': instance },
    timeoutMillis: timeoutMs,
  });
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: 100_000,
    maxExportBatchSize: 200,
    scheduledDelayMillis: 300,
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new TracerProvider({ resource, spanProcessors: [processor] });
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(asyncContexts());
  return provider;
}

/** Evaluates each flag within a span, as in a request: span events need one. */
export function withinSpans(client: FlagClient): FlagClient {
  const tracer = trace.getTracer('shop');
  const within = <T>(evaluate: () => Promise<T>): Promise<T> =>
    tracer.startActiveSpan('a request', async (span) => {
      try {
        return await evaluate();
      } finally {
        span.end();
      }
    });
  return {
    getBooleanDetails: (...args) => within(() => client.getBooleanDetails(...args)),
    getStringDetails: (...args) => within(() => client.getStringDetails(...args)),
    getNumberDetails: (...args) => within(() => client.getNumberDetails(...args)),
  };
}

function asyncContexts(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    // oxlint-disable-next-line eslint/max-params -- the interface of OpenTelemetry
    with: (active, call, thisArg, ...args) => storage.run(active, () => call.apply(thisArg as never, args)),
    bind: (_active, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
