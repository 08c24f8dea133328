import {
  type AggregateOptions,
  type AggregatedBatch,
  type Application,
  type Batch,
  type CountSums,
  CountsEncoder,
  type CountsMessage,
  DEFAULT_REFUSAL_LIMITS,
  type LogMessage,
  type Metric,
  aggregateBatch,
  decodeCounts,
} from '#counting';

/** The moment at which the built batches are received: 21 November 2026, 10:15 UTC. */
export const RECEIVED_AT = Date.UTC(2026, 10, 21, 10, 15);

export function aMetric(members: Partial<Metric> = {}): Metric {
  return {
    featureName: 'new-basket',
    appName: 'checkout',
    environment: 'production',
    timestamp: new Date(RECEIVED_AT).toISOString(),
    ...members,
  };
}

export function anApplication(members: Partial<Application> = {}): Application {
  return { appName: 'checkout', ...members };
}

export function aBatch(members: Partial<Batch> = {}): Batch {
  return { applications: [], metrics: [], ...members };
}

/** A batch of one metric, sent with a token for all environments. */
export function aggregateMetric(
  members: Partial<Metric>,
  options: Partial<AggregateOptions> = {},
): AggregatedBatch<CountSums> {
  return aggregateMetrics([aMetric(members)], options);
}

export function aggregateMetrics(
  metrics: Metric[],
  options: Partial<AggregateOptions> = {},
): AggregatedBatch<CountSums> {
  return aggregate(aBatch({ metrics }), options);
}

export function aggregate(batch: Batch, options: Partial<AggregateOptions> = {}): AggregatedBatch<CountSums> {
  return aggregateBatch(batch, aggregateOptions(options));
}

export function aggregateOptions(options: Partial<AggregateOptions> = {}): AggregateOptions {
  return {
    receivedAt: RECEIVED_AT,
    allowedEnvironment: '*',
    limits: DEFAULT_REFUSAL_LIMITS,
    ...options,
  };
}

type MessageParts = {
  readonly offset: bigint | number;
  readonly batchId: string;
  readonly receivedAt: number;
  /** The broker's time; by default the time of the receipt. */
  readonly appendedAt: number;
  readonly tokenId: string;
  readonly metrics: Metric[];
  readonly allowedEnvironment: string;
};

/** A message of the log: one metric with one yes, unless `metrics` sets others. */
export function aLogMessage(parts: Partial<MessageParts> = {}): LogMessage {
  const { offset = 0, receivedAt = RECEIVED_AT, appendedAt = receivedAt } = parts;
  return { offset: BigInt(offset), value: aCountsValue(parts), appendedAt };
}

export function aPoisonMessage(parts: {
  readonly offset: bigint | number;
  readonly value?: string;
  readonly appendedAt?: number;
}): LogMessage {
  const { offset, value = 'not a message', appendedAt = RECEIVED_AT } = parts;
  return { offset: BigInt(offset), value: bytesOf(value), appendedAt };
}

/** The bytes of a counts message. */
export function aCountsValue(parts: Partial<Omit<MessageParts, 'offset' | 'appendedAt'>> = {}): Uint8Array {
  const {
    batchId = 'batch',
    receivedAt = RECEIVED_AT,
    tokenId = 'token',
    metrics = [aMetric({ yes: 1 })],
  } = parts;
  const aggregated = aggregateMetrics(metrics, {
    receivedAt,
    allowedEnvironment: parts.allowedEnvironment ?? '*',
  });
  return encodeAggregated(aggregated, { batchId, receivedAt, tokenId });
}

const encoder = new CountsEncoder();

export function encodeAggregated(
  { received, sums, refusals }: AggregatedBatch,
  envelope: Partial<CountsMessage> = {},
): Uint8Array {
  const { batchId = 'batch', receivedAt = RECEIVED_AT, tokenId = 'token', traceparent } = envelope;
  return encoder.encode({ batchId, receivedAt, tokenId, traceparent, received }, sums, refusals);
}

/** The decoded message. Throws if the bytes are not a counts message. */
export function decoded(value: Uint8Array): CountsMessage {
  const result = decodeCounts(value);
  if ('problem' in result) throw new Error(`not a counts message: ${result.problem}`);
  return result.message;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
