import { randomUUID } from 'node:crypto';
import type { TracingConfig } from '../config/groups/tracing-config.ts';
import type { Log } from '../log.ts';
import { readVersion } from '#base/version';
import { withDeadline } from '../waiting/deadline.ts';
import { createExporter } from './exporter.ts';
import {
  BatchSpanProcessor,
  type OpenSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TracerProvider,
  resourceFromAttributes,
  trace,
} from './library.ts';
import { createSampler } from './sampler.ts';
import type { Span, SpanOptions, Tracing } from './span.ts';
import { parseTraceparent } from './traceparent.ts';

const STOP_DEADLINE_MS = 2000;
const MAX_SENT_AT_ONCE = 512;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/**
 * Traces with OpenTelemetry. Nothing is registered globally and no module is patched: a span exists only where our code starts
 * one. The processor drops spans beyond its queue, so a receiver that is unreachable costs that memory and no time.
 */
export function createTracing(config: TracingConfig, service: string, log: Log): Tracing {
  const provider = new TracerProvider({
    sampler: createSampler(config),
    resource: resourceFromAttributes({
      'service.version': readVersion(),
      'service.instance.id': randomUUID(),
      ...config.resource,
      'service.name': config.serviceName ?? config.resource['service.name'] ?? `flagmeter-${service}`,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: createExporter(config, log),
        maxQueueSize: config.maxQueuedSpans,
        maxExportBatchSize: Math.min(MAX_SENT_AT_ONCE, config.maxQueuedSpans),
        scheduledDelayMillis: config.sendAfterMs,
        exportTimeoutMillis: config.timeoutMs,
      }),
    ],
  });
  const tracer = provider.getTracer('flagmeter', readVersion());
  const start = (name: string, { kind, attributes = {} }: SpanOptions, above: Above): OpenSpan => {
    const links = above.links?.map((context) => ({ context })) ?? [];
    const context =
      above.parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, above.parent);
    return tracer.startSpan(name, { kind: KINDS[kind], attributes, links }, context);
  };
  const toSpan = (span: OpenSpan): Span => {
    const context = span.spanContext();
    return {
      traceId: context.traceId,
      traceparent: `00-${context.traceId}-${context.spanId}-0${context.traceFlags.toString(16)}`,
      isRecording: () => span.isRecording(),
      child: (name, options) => toSpan(start(name, options, { parent: context })),
      rename: (name) => void span.updateName(name),
      set: (attributes) => void span.setAttributes({ ...attributes }),
      end(failure) {
        if (failure !== undefined) markFailed(span, failure);
        span.end();
      },
    };
  };
  return {
    start(name, { parent, links, ...options }) {
      const span = start(name, options, {
        parent: parent === undefined ? undefined : parseTraceparent(parent),
        links: links?.flatMap((link) => parseTraceparent(link) ?? []),
      });
      return span.isRecording() ? toSpan(span) : undefined;
    },
    async stop() {
      await withDeadline(
        provider.shutdown(),
        STOP_DEADLINE_MS,
        'the last traces were not sent in time',
      ).catch((err: unknown) => {
        log.warn({ err }, 'traces not sent');
      });
    },
  };
}

/** What a span follows. */
type Above = {
  readonly parent?: SpanContext | undefined;
  readonly links?: readonly SpanContext[] | undefined;
};

function markFailed(span: OpenSpan, failure: unknown): void {
  const type = typeof failure === 'string' ? failure : typeOf(failure);
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR, message: type });
}

function typeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
