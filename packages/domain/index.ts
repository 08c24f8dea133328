/**
 * The rules of counting, pure: no I/O, no clock. A relay sends a **batch** (applications and metrics); `takeBatch`
 * splits it into counts and refusals; `encodeCounts` makes the message that Kafka keeps; `buildBlock` makes of
 * consecutive messages the **block** that one INSERT stores; `findDifferences` proves that nothing is missing.
 */
export * from './accounting.ts';
export * from './applications-message.ts';
export * from './batch-id.ts';
export * from './batch-names.ts';
export * from './batch-schema.ts';
export * from './block.ts';
export * from './callers.ts';
export * from './continuity.ts';
export * from './counts-message.ts';
export * from './count-sums.ts';
export type { DaySums } from './day-sums.ts';
export * from './days.ts';
export * from './dead-letters.ts';
export * from './distinct-names.ts';
export * from './duplicates.ts';
export * from './intent.ts';
export * from './message-size.ts';
export * from './names.ts';
export * from './next-block.ts';
export * from './permissions.ts';
export * from './poison.ts';
export {
  DEFAULT_REFUSAL_LIMITS,
  REFUSAL_REASONS,
  type RefusalLimits,
  type RefusalReason,
} from './refusals.ts';
export * from './schema-problems.ts';
export * from './sdk-schema.ts';
export * from './seen-tokens.ts';
export * from './since.ts';
export * from './take-batch.ts';
export * from './timestamps.ts';
export * from './tokens.ts';
export * from './usual-batch.ts';
export type { UsualSums } from './usual-sums.ts';
export * from './verdicts.ts';
