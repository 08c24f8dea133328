import { randomUUID } from 'node:crypto';
import { type Client, TypedInMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { EventHook, MetricsHook } from '@openfeature/open-telemetry-hooks';
import { metrics } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { AggregationTemporalityPreference } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { untilEndOfFile } from '../processes/left-behind.ts';

/** What sends the evaluations, and in which form. */
export type OpenFeatureSender = 'protobuf records' | 'JSON records' | 'counters' | 'cumulative counters';

export type OpenFeatureSdk = {
  readonly client: Client;
  /** Sends what waits, and waits for the answers. */
  flush(): Promise<void>;
  dispose(): Promise<void>;
};

export type OpenFeatureOptions = {
  /** Of flagmeter, or of a collector. */
  readonly url: string;
  readonly secret: string;
  readonly sender: OpenFeatureSender;
  readonly appName: string;
  /** How long the exporter tries. */
  readonly timeoutMs?: number;
};

/** Flags of all types, as a file of flagd has them. */
export const FLAGS = {
  basket: { variants: { on: true, off: false }, defaultVariant: 'on', disabled: false },
  checkout: {
    variants: { on: true, off: false },
    defaultVariant: 'off',
    disabled: false,
    contextEvaluator: ({ targetingKey }: { targetingKey?: string }) =>
      Number(targetingKey) % 3 === 0 ? 'on' : 'off',
  },
  colour: {
    variants: { red: '#f00', blue: '#00f' },
    defaultVariant: 'red',
    disabled: false,
    contextEvaluator: ({ targetingKey }: { targetingKey?: string }) =>
      Number(targetingKey) % 2 === 0 ? 'red' : 'blue',
  },
  limit: { variants: { low: 10 }, defaultVariant: 'low', disabled: false },
  retired: { variants: { on: true, off: false }, defaultVariant: 'on', disabled: true },
} as const;

/** The SDK of OpenFeature for servers, with the official hooks and exporters. Only one runs in a process, because hooks are global. */
export async function startOpenFeatureSdk(options: OpenFeatureOptions): Promise<OpenFeatureSdk> {
  const { appName, sender } = options;
  const instance = randomUUID();
  const resource = resourceFromAttributes({
    'service.name': appName,
    'service.instance.id': instance,
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '2.12.1',
  });
  const provider = sender.endsWith('records')
    ? provideLogs(options, { resource, instance })
    : provideMetrics(options, resource);
  await OpenFeature.setProviderAndWait(appName, new TypedInMemoryProvider(FLAGS));
  const client = OpenFeature.getClient(appName);
  client.addHooks(sender.endsWith('records') ? new EventHook() : new MetricsHook());
  return untilEndOfFile({
    client,
    flush: () => provider.forceFlush(),
    async dispose() {
      await provider.shutdown().catch(() => undefined); // the tests judge what arrived
      await OpenFeature.close();
      logs.disable();
      metrics.disable();
    },
  });
}

type Resource = ReturnType<typeof resourceFromAttributes>;

function provideLogs(
  { url, secret, sender, timeoutMs = 10_000 }: OpenFeatureOptions,
  { resource, instance }: { readonly resource: Resource; readonly instance: string },
) {
  const config = {
    url: `${url}/v1/logs`,
    headers: { Authorization: secret, 'Idempotency-Key': instance },
    timeoutMillis: timeoutMs,
    compression: CompressionAlgorithm.GZIP,
  };
  const exporter = sender === 'JSON records' ? new JsonLogExporter(config) : new ProtobufLogExporter(config);
  const processor = new BatchLogRecordProcessor({
    ...{ exporter, maxQueueSize: 100_000, maxExportBatchSize: 200, scheduledDelayMillis: 300 },
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new LoggerProvider({ resource, processors: [processor] });
  logs.setGlobalLoggerProvider(provider);
  return provider;
}

function provideMetrics({ url, secret, sender, timeoutMs = 10_000 }: OpenFeatureOptions, resource: Resource) {
  const exporter = new OTLPMetricExporter({
    url: `${url}/v1/metrics`,
    headers: { Authorization: `Bearer ${secret}` },
    timeoutMillis: timeoutMs,
    temporalityPreference:
      sender === 'counters'
        ? AggregationTemporalityPreference.DELTA
        : AggregationTemporalityPreference.CUMULATIVE,
  });
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const provider = new MeterProvider({ resource, readers: [reader] });
  metrics.setGlobalMeterProvider(provider);
  return provider;
}
