import { limit, text, whole } from './setting.ts';

const yesOrNo = (description: string) => ({ type: 'boolean', default: false, description }) as const;
const PAIRS = 'as key=value, comma separated, with percent-encoded values';

/** The standard variables of OpenTelemetry that we honour. Without an endpoint nothing is traced. */
export const tracingSettings = {
  OTEL_SDK_DISABLED: yesOrNo('true sends no traces, whatever the other settings say'),
  OTEL_TRACES_EXPORTER: {
    type: 'string',
    enum: ['otlp', 'none'],
    default: 'otlp',
    description: 'none sends no traces',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    type: 'string',
    format: 'base-url',
    description: 'http(s)://host:port of a receiver of OTLP; flagmeter sends traces to its path /v1/traces',
  },
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: {
    type: 'string',
    format: 'base-url',
    description: 'http(s)://host:port/path for traces, used as it is',
  },
  OTEL_EXPORTER_OTLP_PROTOCOL: {
    type: 'string',
    enum: ['http/protobuf', 'http/json'],
    default: 'http/protobuf',
    description: 'encoding of the traces: http/protobuf or http/json',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    type: 'string',
    default: '',
    format: 'pairs',
    isSecret: true,
    description: `headers for the receiver, such as its key, ${PAIRS}`,
  },
  OTEL_EXPORTER_OTLP_TIMEOUT: whole(
    10_000,
    { min: 1, max: 60_000 },
    'milliseconds for one export, with its retries',
  ),
  OTEL_SERVICE_NAME: text('', 'name of the service in traces; empty for flagmeter-ingest, -worker and so on'),
  OTEL_RESOURCE_ATTRIBUTES: {
    type: 'string',
    default: '',
    format: 'pairs',
    description: `attributes of every span, ${PAIRS}`,
  },
  OTEL_TRACES_SAMPLER: {
    type: 'string',
    enum: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    default: 'parentbased_always_on',
    description:
      'always_on, always_off or traceidratio; after parentbased_ it follows the decision of the caller, if that made one',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    default: 1,
    description: 'part of the requests that a traceidratio sampler traces, 0 to 1',
  },
  OTEL_BSP_MAX_QUEUE_SIZE: limit(
    2048,
    { share: 'same', min: 1, max: 100_000, why: 'each span takes up to 4 KiB of memory' },
    'spans that wait for the receiver per process; others are dropped',
  ),
  OTEL_BSP_SCHEDULE_DELAY: whole(
    5000,
    { min: 10, max: 60_000 },
    'milliseconds after which waiting spans are sent',
  ),
} as const;
