/**
 * What is read of a resource, record, span event or data point: the stored field, and the attributes that name it, the preferred one
 * first. docs/use/openfeature.md has the same list. Older hooks and collectors use the later names.
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
  variant: ['feature_flag.result.variant', 'feature_flag.variant', 'variant'],
  value: ['feature_flag.result.value'],
  reason: ['feature_flag.result.reason', 'reason'],
  errorType: ['error.type'],
  provider: ['feature_flag.provider.name', 'feature_flag.provider_name', 'provider_name'],
} as const;

export type Field = keyof typeof FIELDS;

/** The value of an attribute. Undefined if it is neither text nor boolean. */
export type AttributeValue = string | boolean | undefined;

/** The attributes of a body that have a field. Others are not kept, above all `feature_flag.context.id` and values. */
export type Attributes = ReadonlyMap<string, AttributeValue>;
export const NO_ATTRIBUTES: Attributes = new Map();

/** Names of the records and span events that are evaluations. The second one is that of older emitters. */
export const EVENT_NAMES: ReadonlySet<string> = new Set(['feature_flag.evaluation', 'feature_flag']);

/** Before records had a name of their own, an attribute had it. */
export const EVENT_NAME_ATTRIBUTE = 'event.name';

/**
 * The counters of evaluations, and whether each adds up failures. The counters of requests and of active evaluations are ignored: a
 * hook counts the same evaluations as successes and errors.
 */
export const EVALUATION_METRICS: ReadonlyMap<string, 'evaluations' | 'errors'> = new Map([
  ['feature_flag.evaluation_success_total', 'evaluations'],
  ['feature_flag.evaluation_error_total', 'errors'],
  ['feature_flag.evaluations', 'evaluations'],
  ['flag.evaluation.count', 'evaluations'],
] as const);

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
