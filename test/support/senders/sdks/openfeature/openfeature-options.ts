import type { EventHook, MetricsHook, SpanEventHook, SpanHook } from '@openfeature/open-telemetry-hooks';
import type { EvaluationContext, EvaluationDetails, FlagValue } from '@openfeature/core';
import type { resourceFromAttributes } from '@opentelemetry/resources';

/** What sends the evaluations, and in which form. */
export type OpenFeatureSender =
  | 'protobuf records'
  | 'JSON records'
  | 'counters'
  | 'cumulative counters'
  | 'span events'
  | 'spans';

export type OpenFeatureOptions = {
  /** Of flagmeter, or of a collector. */
  readonly url: string;
  readonly secret: string;
  readonly sender: OpenFeatureSender;
  readonly appName: string;
  /** How long the exporter tries. */
  readonly timeoutMs?: number;
  /** Creates another hook than that of package.json. */
  readonly createHook?: () => OpenFeatureHook;
};

export type OpenFeatureHook = EventHook | MetricsHook | SpanEventHook | SpanHook;

export type Evaluate<T extends FlagValue> = (
  key: string,
  defaultValue: T,
  context: EvaluationContext,
) => Promise<EvaluationDetails<T>>;

/** The client of an SDK. */
export type FlagClient = {
  readonly getBooleanDetails: Evaluate<boolean>;
  readonly getStringDetails: Evaluate<string>;
  readonly getNumberDetails: Evaluate<number>;
};

/** The process that sends. */
export type Origin = {
  readonly resource: ReturnType<typeof resourceFromAttributes>;
  readonly instance: string;
};
