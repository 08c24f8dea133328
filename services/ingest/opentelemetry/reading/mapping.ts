/**
 * What is read of a resource, record, span event or data point: the stored field, and the attributes that name it, the preferred one
 * first. docs/use/senders/openfeature.md has the same list. Older hooks and collectors use the later names.
 */
export const FIELDS = {
  application: ['service.name'],
  environment: ['deployment.environment.name', 'deployment.environment'],
  instance: ['service.instance.id'],
  namespace: ['service.namespace'],
  sdkName: ['telemetry.sdk.name'],
  sdkLanguage: ['telemetry.sdk.language'],
  sdkVersion: ['telemetry.sdk.version'],
  feature: ['feature_flag.key', 'key'],
  variant: ['feature_flag.result.variant', 'feature_flag.variant', 'feature_flag.variation', 'variant'],
  variationIndex: ['feature_flag.result.variationIndex'],
  value: ['feature_flag.result.value', 'feature_flag.value'],
  reason: [
    'feature_flag.result.reason',
    'feature_flag.evaluation.reason',
    'feature_flag.reason',
    'feature_flag.result.reason.kind',
    'reason',
  ],
  failed: ['feature_flag.default'],
  errorType: ['error.type'],
  provider: ['feature_flag.provider.name', 'feature_flag.provider_name', 'provider_name'],
} as const;

export type Field = keyof typeof FIELDS;

/** A list, map or bytes. What is in it is not read. */
export const NESTED = { isNested: true } as const;

/** The value of an attribute, or of the body of a record. Undefined if the sender leaves it empty. */
export type AttributeValue = string | boolean | number | typeof NESTED | undefined;

/** The member of the body of a record that older conventions put the value into. */
export const BODY_VALUE = 'value';

/** A body may be the value itself. If it is text, it usually is a message for people. */
export function valueOfPlainBody(body: AttributeValue): AttributeValue {
  if (typeof body === 'string') return /^(?:true|false)$/i.test(body) ? body : undefined;
  return body === NESTED ? undefined : body;
}

/** The attributes of a body that have a field. Others are not kept, above all `feature_flag.context.id` and values. */
export type Attributes = ReadonlyMap<string, AttributeValue>;
export const NO_ATTRIBUTES: Attributes = new Map();

/** Names of the records, span events and spans that are evaluations: of the conventions, of older emitters, of GO Feature Flag. */
export const EVENT_NAMES: ReadonlySet<string> = new Set([
  'feature_flag.evaluation',
  'feature_flag',
  'feature_flag.evaluate',
]);

/** What every evaluation of the conventions has. Older emitters have another name for it, but then their events are named. */
export const FLAG_KEY = 'feature_flag.key';

/** Before records had a name of their own, an attribute had it. */
const EVENT_NAME_ATTRIBUTE = 'event.name';

export function nameOfEvent(attributes: Attributes): string {
  const name = attributes.get(EVENT_NAME_ATTRIBUTE);
  return typeof name === 'string' ? name : '';
}

/**
 * The counters of evaluations, and whether each adds up failures. The counters of requests and of active evaluations are ignored: a
 * hook counts the same evaluations as successes and errors.
 */
export const EVALUATION_METRICS: ReadonlyMap<string, 'evaluations' | 'errors'> = new Map([
  ['feature_flag.evaluation_success_total', 'evaluations'],
  ['feature_flag.evaluation_error_total', 'errors'],
  ['feature_flag.evaluations', 'evaluations'],
  ['flag.evaluation.count', 'evaluations'],
  ['feature_flag.flagd.impression', 'evaluations'],
] as const);

/** Counters that add up evaluations which another counter of the same sender has too. */
export const REPEATING_METRICS: ReadonlySet<string> = new Set([
  'feature_flag.evaluation_requests_total',
  'feature_flag.evaluation_active_count',
  'feature_flag.flagd.result.reason',
  'feature_flag.flagd.evaluation.reason',
]);

/** In the name of a counter that adds up evaluations. Others may have a flag as a dimension: purchases by variant are no evaluations. */
export const COUNTER_WORDS = /evaluation|impression/i;

const KNOWN_ATTRIBUTES: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS).flat(),
  EVENT_NAME_ATTRIBUTE,
]);

/** Whether anything is read of the attribute. */
export function isKnownAttribute(name: string): boolean {
  return KNOWN_ATTRIBUTES.has(name);
}

/** The value of a field; undefined if no attribute has it. */
export function valueOf(attributes: Attributes, field: Field): AttributeValue {
  for (const name of FIELDS[field]) {
    const value = attributes.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The text of a field; undefined if it is absent, empty or no text. */
export function textOf(attributes: Attributes, field: Field): string | undefined {
  const value = valueOf(attributes, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
