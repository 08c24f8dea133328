/**
 * The rules of counting: pure, without I/O or clock. A relay sends a **batch** (applications and metrics). `aggregateBatch`
 * splits it into counts and refusals. `CountsEncoder` writes the message that Kafka stores. `buildBlock` combines consecutive
 * messages into the **block** that one INSERT stores.
 */
export { PLATFORM_MEMBERS, type Platform } from './applications/application-names.ts';
export * from './batch/batch-id.ts';
export * from './schemas/batch-schema.ts';
export * from './sums/count-sums.ts';
export { showValue } from './refusal-sample.ts';
export {
  DEFAULT_REFUSAL_LIMITS,
  REASONS_OF_WORKER,
  REFUSAL_REASONS,
  type Refusal,
  type RefusalLimits,
  type RefusalReason,
} from './refusals.ts';
export * from './batch/sdk-schema.ts';
export * from './batch/seen-tokens.ts';
export * from './aggregate-options.ts';
export * from './batch/aggregate-batch.ts';
export * from './block/block.ts';
export * from './block/continuity.ts';
export * from './block/dead-letter.ts';
export * from './block/duplicates.ts';
export * from './block/other-topics.ts';
export * from './block/intent.ts';
export * from './block/next-block.ts';
export * from './block/poison.ts';
export * from './block/recent-blocks.ts';
export { type TimeSums, sumTimes } from './block/time-sums.ts';
export * from './batch/aggregate-evaluations.ts';
export * from './batch/known-counts.ts';
export * from './evaluations/block-reasons.ts';
export * from './evaluations/evaluation.ts';
export * from './evaluations/feature-senders.ts';
export { type KnownEvaluation, knownEvaluationOf } from './evaluations/known-evaluation.ts';
export * from './evaluations/reason-sums.ts';
export { numberOfBillionths } from './impact/billionths.ts';
export { type BatchImpact, NO_IMPACT } from './impact/impact-sample.ts';
export * from './impact/impact-sums.ts';
export {
  type ImpactSource,
  type ReadImpact,
  readImpact,
  readImpactInSteps,
  readRelayImpact,
  readRelayImpactInSteps,
} from './impact/read-impact.ts';
export { KnownBytes, viewOf } from './names/known-bytes.ts';
export * from './names/registered-names.ts';
export * from './series/known-series.ts';
export * from './series/series-of-block.ts';
export * from './series/series-point.ts';
export * from './series/series-states.ts';
export { ByteCursor, Literal } from './fast-path/byte-cursor.ts';
export { createFastPath } from './fast-path/read-fast.ts';
export * from './applications/applications-message.ts';
export * from './message/bucket-span.ts';
export * from './message/counts-message.ts';
export * from './message/decode-counts.ts';
export * from './message/encode-counts.ts';
export { intervalForSdk } from './applications/intervals.ts';
export * from './names/batch-names.ts';
export * from './names/distinct-names.ts';
export * from './steps.ts';
