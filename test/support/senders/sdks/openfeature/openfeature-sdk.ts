import { randomUUID } from 'node:crypto';
import type { EvaluationDetails, FlagValue } from '@openfeature/core';
import { OpenFeature, TypedInMemoryProvider } from '@openfeature/server-sdk';
import {
  OpenFeature as WebOpenFeature,
  TypedInMemoryProvider as WebInMemoryProvider,
} from '@openfeature/web-sdk';
import { EventHook, MetricsHook, SpanEventHook, SpanHook } from '@openfeature/open-telemetry-hooks';
import { context as contexts, metrics, trace } from '@opentelemetry/api';
import { logs } from '@opentelemetry/api-logs';
import { OTLPLogExporter as JsonLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { OTLPLogExporter as ProtobufLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { AggregationTemporalityPreference } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { untilEndOfFile } from '../../../left-behind.ts';
import type {
  Evaluate,
  FlagClient,
  OpenFeatureHook,
  OpenFeatureOptions,
  OpenFeatureSender,
  Origin,
} from './openfeature-options.ts';
import { provideTraces, withinSpans } from './openfeature-traces.ts';

export type OpenFeatureSdk = {
  readonly client: FlagClient;
  /** Sends what waits, and waits for the answers. */
  flush(): Promise<void>;
  dispose(): Promise<void>;
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
export function startOpenFeatureSdk(options: OpenFeatureOptions): Promise<OpenFeatureSdk> {
  return start(options, openServerClient);
}

/** The SDK of OpenFeature for browsers, in the same way. */
export function startOpenFeatureWebSdk(options: OpenFeatureOptions): Promise<OpenFeatureSdk> {
  return start(options, openWebClient);
}

type OpenedClient = { readonly client: FlagClient; close(): Promise<void> };

async function openServerClient(domain: string, hook: OpenFeatureHook): Promise<OpenedClient> {
  await OpenFeature.setProviderAndWait(domain, new TypedInMemoryProvider(FLAGS));
  const client = OpenFeature.getClient(domain);
  client.addHooks(hook);
  return {
    client: {
      getBooleanDetails: (key, defaultValue, context) => client.getBooleanDetails(key, defaultValue, context),
      getStringDetails: (key, defaultValue, context) => client.getStringDetails(key, defaultValue, context),
      getNumberDetails: (key, defaultValue, context) => client.getNumberDetails(key, defaultValue, context),
    },
    close: () => OpenFeature.close(),
  };
}

/** It evaluates at once, for the user of the page. */
async function openWebClient(domain: string, hook: OpenFeatureHook): Promise<OpenedClient> {
  await WebOpenFeature.setProviderAndWait(domain, new WebInMemoryProvider(FLAGS));
  const client = WebOpenFeature.getClient(domain);
  client.addHooks(hook);
  const forUser =
    <T extends FlagValue>(evaluate: (key: string, defaultValue: T) => EvaluationDetails<T>): Evaluate<T> =>
    async (key, defaultValue, context) => {
      await WebOpenFeature.setContext(domain, context);
      return evaluate(key, defaultValue);
    };
  return {
    client: {
      getBooleanDetails: forUser<boolean>((key, defaultValue) => client.getBooleanDetails(key, defaultValue)),
      getStringDetails: forUser<string>((key, defaultValue) => client.getStringDetails(key, defaultValue)),
      getNumberDetails: forUser<number>((key, defaultValue) => client.getNumberDetails(key, defaultValue)),
    },
    close: () => WebOpenFeature.close(),
  };
}

async function start(
  options: OpenFeatureOptions,
  openClient: (domain: string, hook: OpenFeatureHook) => Promise<OpenedClient>,
): Promise<OpenFeatureSdk> {
  const { appName, sender, createHook } = options;
  const instance = randomUUID();
  const resource = resourceFromAttributes({
    'service.name': appName,
    'service.instance.id': instance,
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '2.12.1',
  });
  const { provide, Hook } = SENDERS[sender];
  const provider = provide(options, { resource, instance });
  const opened = await openClient(appName, createHook?.() ?? new Hook());
  return untilEndOfFile({
    client: provide === provideTraces ? withinSpans(opened.client) : opened.client,
    flush: () => provider.forceFlush(),
    async dispose() {
      await provider.shutdown().catch(() => undefined); // the tests judge what arrived
      await opened.close();
      logs.disable();
      metrics.disable();
      if (provide !== provideTraces) return;
      // A SpanHook of this process finds no other provider after this.
      trace.disable();
      contexts.disable();
    },
  });
}

const RECORDS = { provide: provideLogs, Hook: EventHook };
const COUNTERS = { provide: provideMetrics, Hook: MetricsHook };
const SENDERS = {
  'protobuf records': RECORDS,
  'JSON records': RECORDS,
  counters: COUNTERS,
  'cumulative counters': COUNTERS,
  'span events': { provide: provideTraces, Hook: SpanEventHook },
  spans: { provide: provideTraces, Hook: SpanHook },
} as const satisfies Record<OpenFeatureSender, unknown>;

function provideLogs(
  { url, secret, sender, timeoutMs = 10_000 }: OpenFeatureOptions,
  { resource, instance }: Origin,
) {
  const config = {
    url: `${url}/v1/logs`,
    headers: { Authorization: secret, 'Idempotency-Key': instance },
    timeoutMillis: timeoutMs,
    compression: CompressionAlgorithm.GZIP,
  };
  const exporter = sender === 'JSON records' ? new JsonLogExporter(config) : new ProtobufLogExporter(config);
  const processor = new BatchLogRecordProcessor({
    exporter,
    maxQueueSize: 100_000,
    maxExportBatchSize: 200,
    scheduledDelayMillis: 300,
    exportTimeoutMillis: timeoutMs,
  });
  const provider = new LoggerProvider({ resource, processors: [processor] });
  logs.setGlobalLoggerProvider(provider);
  return provider;
}

function provideMetrics(
  { url, secret, sender, timeoutMs = 10_000 }: OpenFeatureOptions,
  { resource }: Origin,
) {
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
