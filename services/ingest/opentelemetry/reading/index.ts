/**
 * Evaluations of feature flags as OpenTelemetry sends them (OTLP/HTTP), pure. `readOtlp` finds them in a body, `evaluationsOf` maps
 * them to what is counted, and the answers are encoded as the protocol wants it.
 */
export { type Rejected, encodeStatus, encodeSuccess } from './answers.ts';
export { type EvaluationScope, evaluationsOf } from './interpreting/evaluations.ts';
export type { Unclear } from './found.ts';
export { KnownPoints } from './known/known-points.ts';
export type { HowKnown, KnownBody } from './known/count-body.ts';
export { createKnownReader } from './known/read-known.ts';
export { createKnownJsonReader } from './known/read-known-json.ts';
export { EVALUATION_METRICS, EVENT_NAMES, FIELDS } from './mapping.ts';
export { readOtlp } from './read-otlp.ts';
export { applicationsOf } from './interpreting/resources.ts';
export { NOT_ENABLED_REASONS, NOT_ENABLED_VARIANTS } from './interpreting/results.ts';
export { instanceOfBody } from './interpreting/sender.ts';
export { type OtlpEncoding, type OtlpSignal, SIGNALS } from './signals.ts';
