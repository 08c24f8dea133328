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
  NO_IMPACT,
  ReasonSums,
  type SeriesPoint,
  aggregateBatch,
  decodeCounts,
  readRelayImpact,
} from '#core/counting';
import { type NewToken, createSecret } from '#base/tokens';

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

/** A token of a relay. */
export function aToken(members: Partial<NewToken> = {}): NewToken {
  return {
    secret: createSecret([], 'production'),
    name: 'relay',
    type: 'client',
    environment: 'production',
    projects: [],
    expiresAt: undefined,
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

/** Why flags had their values. */
export type GivenReason = {
  readonly reason: string;
  readonly errorType?: string;
  readonly provider?: string;
  /** The evaluations with this reason; by default all. */
  readonly countOf?: (row: ReasonRow) => number;
};

type ReasonRow = { readonly featureName: string; readonly appName: string; readonly evaluations: number };

type MessageParts = {
  readonly offset: bigint | number;
  readonly batchId: string;
  readonly receivedAt: number;
  /** The broker's time; by default the time of the receipt. */
  readonly appendedAt: number;
  readonly tokenId: string;
  readonly metrics: Metric[];
  readonly impactMetrics: unknown;
  readonly reasons: readonly GivenReason[];
  /** Evaluations of each row whose result is unknown, beside its others. */
  readonly unknown: number;
  /** Points whose names are those of the sums. */
  readonly points: (sums: CountSums) => readonly SeriesPoint[];
  readonly allowedEnvironment: string;
  readonly isTrusted?: boolean;
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
  const options = aggregateOptions({ receivedAt, allowedEnvironment: parts.allowedEnvironment ?? '*' });
  const aggregated = aggregateMetrics(metrics, options);
  const { refusals: ofSamples, ...impact } = readRelayImpact(parts, options);
  const refusals = [...aggregated.refusals, ...ofSamples];
  addUnknown(aggregated.sums, parts.unknown ?? 0);
  const reasons = reasonsOf(aggregated.sums, parts.reasons ?? []);
  const points = parts.points?.(aggregated.sums) ?? [];
  const received = aggregated.received + points.length;
  return encodeAggregated(
    { ...aggregated, received, refusals },
    { batchId, receivedAt, tokenId, impact, reasons, points, isTrusted: parts.isTrusted === true },
  );
}

const encoder = new CountsEncoder();

export function encodeAggregated(
  { received, sums, refusals }: AggregatedBatch,
  envelope: Partial<CountsMessage> = {},
): Uint8Array {
  const { batchId = 'batch', receivedAt = RECEIVED_AT, tokenId = 'token', traceparent } = envelope;
  const { impact = NO_IMPACT, reasons, points, isTrusted, owner, span } = envelope;
  return encoder.encode(
    { batchId, receivedAt, tokenId, owner, traceparent, received, impact, reasons, points, isTrusted, span },
    sums,
    refusals,
  );
}

function addUnknown(sums: CountSums, count: number): void {
  for (let row = 0; row < sums.rowCount; row += 1) {
    sums.select(sums.groupOf(row), sums.featureOf(row));
    sums.addUnknown(count);
  }
}

function allOf({ evaluations }: ReasonRow): number {
  return evaluations;
}

/** Evaluations of the sums, by reason. */
function reasonsOf(sums: CountSums, reasons: readonly GivenReason[]): ReasonSums {
  const sum = new ReasonSums();
  for (const { reason, errorType, provider, countOf = allOf } of reasons)
    for (let row = 0; row < sums.rowCount; row += 1) {
      const [feature, group] = [sums.featureOf(row), sums.groupOf(row)];
      const [featureName = '', appName = ''] = [sums.names[feature], sums.names[sums.appOf(group)]];
      const count = countOf({
        featureName,
        appName,
        evaluations: sums.yesOf(row) + sums.noOf(row) + (sums.unknown.get(row) ?? 0),
      });
      if (count === 0) continue;
      const idOf = (name: string | undefined) => (name === undefined ? undefined : sums.nameId(name));
      const outcome = { reason: sums.nameId(reason), errorType: idOf(errorType), provider: idOf(provider) };
      sum.add({ feature, group }, outcome, count);
    }
  return sum;
}

/** The decoded message. Throws if the bytes are not a counts message. */
export function decoded(value: Uint8Array): CountsMessage {
  const result = decodeCounts(value);
  if ('problem' in result) throw new Error(`not a counts message: ${result.problem}`);
  return result.message;
}

/** A counter in the form of SDKs, whose label names the arm of a feature. */
export function aCounter(members: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  const samples = [
    { value: 17, labels: { 'new-basket': 'blue', appName: 'checkout', environment: 'production' } },
  ];
  return { name: 'purchases', help: 'Completed purchases', type: 'counter', samples, ...members };
}

/** A histogram in the form of SDKs: each bucket also counts the observations of those before it. */
export function aHistogram(
  members: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const buckets = [
    { le: 0.1, count: 2 },
    { le: 0.5, count: 5 },
    { le: '+Inf', count: 6 },
  ];
  const samples = [{ count: 6, sum: 2.25, buckets, labels: { 'new-basket': 'blue', appName: 'checkout' } }];
  return { name: 'response_seconds', help: 'Response times', type: 'histogram', samples, ...members };
}

/** A sample of each type. */
export function impactOfEveryType(): readonly unknown[] {
  return [aCounter(), aHistogram(), aCounter({ name: 'load', type: 'gauge' })];
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
