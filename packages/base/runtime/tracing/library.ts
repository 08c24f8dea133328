/** All of OpenTelemetry that is used. `make build` replaces this module by a bundle, so that only developers install it. */
export { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
export type { Span as OpenSpan, SpanContext } from '@opentelemetry/api';
export { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
export { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
export { resourceFromAttributes } from '@opentelemetry/resources';
export {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
export type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';
