import {
  type AttributeValue,
  type Attributes,
  COUNTER_WORDS,
  EVALUATION_METRICS,
  EVENT_NAMES,
  FIELDS,
  FLAG_KEY,
  REPEATING_METRICS,
} from './mapping.ts';

/**
 * What something that may be an evaluation is. A `failure` is an exception that stands for the evaluation which failed. `unclear` names a
 * flag, but neither by its name nor by a result it is an evaluation: the sender is told.
 */
export type Kind = 'evaluation' | 'failure' | 'unclear' | 'other';

type Named = {
  readonly name: string;
  readonly attributes: Attributes;
  /** The value in the body of a record. */
  readonly body?: AttributeValue;
};

/** Of a log record or an event of a span. Senders lose names, so what names a flag and a result is an evaluation whatever its name is. */
export function kindOfEvent({ name, attributes, body }: Named): Kind {
  if (EVENT_NAMES.has(name)) return 'evaluation';
  if (typeof attributes.get(FLAG_KEY) !== 'string') return 'other';
  const isOfException = name === EXCEPTION;
  // Hooks for Go, Java and PHP record a failed evaluation as an exception only. That for Python sends an event too, and the value here.
  if (isOfException) return has(attributes, VALUES) ? 'other' : 'failure';
  return body !== undefined || has(attributes, RESULTS) ? 'evaluation' : 'unclear';
}

/** As for events. Hooks of LaunchDarkly send an event beside the span of a call. */
export function kindOfSpan({ name, attributes }: Named): Kind {
  if (EVENT_NAMES.has(name)) return 'evaluation';
  if (typeof attributes.get(FLAG_KEY) !== 'string' || /^ldclient\./i.test(name)) return 'other';
  return has(attributes, RESULTS) ? 'evaluation' : 'unclear';
}

/** What the points of a metric are: all of them evaluations, those that name a flag and a result, or none of them. */
export type MetricKind = 'evaluations' | 'by point' | 'none' | 'repeating';

/** Judges a name once, because it may be long and have many points. */
export function kindOfMetric(name: string): MetricKind {
  if (EVALUATION_METRICS.has(name)) return 'evaluations';
  if (REPEATING_METRICS.has(name)) return 'repeating';
  return COUNTER_WORDS.test(name) ? 'by point' : 'none';
}

/** Of a point of a sum. */
export function kindOfPoint(attributes: Attributes, ofMetric: MetricKind): Kind {
  if (ofMetric === 'evaluations') return 'evaluation';
  if (typeof attributes.get(FLAG_KEY) !== 'string') return 'other';
  return ofMetric === 'by point' && has(attributes, OUTCOMES) ? 'evaluation' : 'unclear';
}

const EXCEPTION = 'exception';
const VALUES = FIELDS.value;
/** Names without the prefix may mean something else in what is not named as an evaluation. */
const OUTCOMES = [...VALUES, ...FIELDS.variant, ...FIELDS.variationIndex].filter(isOfFlags);
const RESULTS = [...OUTCOMES, ...FIELDS.reason.filter(isOfFlags)];

function isOfFlags(name: string): boolean {
  return name.startsWith('feature_flag.');
}

function has(attributes: Attributes, names: readonly string[]): boolean {
  return names.some((name) => attributes.get(name) !== undefined);
}
