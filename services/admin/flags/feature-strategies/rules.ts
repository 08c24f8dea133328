/** What a schema cannot say about the strategy of a feature. Pure. */

/** A member of the strategy, and what is wrong with it. */
export type StrategyProblem = { readonly path: string; readonly message: string };

export type StrategyToCheck = {
  readonly parameters?: Readonly<Record<string, string>>;
  readonly constraints?: readonly ConstraintToCheck[];
  readonly variants?: readonly {
    readonly name: string;
    readonly weight: number;
    readonly stickiness: string;
  }[];
};

type ConstraintToCheck = {
  readonly inverted?: boolean;
  readonly operator: string;
  readonly values?: readonly string[];
  readonly value?: string;
};

/** A parameter as the strategy type defines it. */
export type ParameterDefinition = {
  readonly name: string;
  readonly type: string;
  readonly required?: boolean;
};

const MAX_PROBLEMS = 10;

/** The parameters with the defaults that Unleash gives a gradual rollout. */
export function withDefaults(
  {
    name,
    parameters = {},
  }: { readonly name: string; readonly parameters?: Readonly<Record<string, string>> },
  feature: string,
): Readonly<Record<string, string>> {
  return name === 'flexibleRollout'
    ? { rollout: '100', stickiness: 'default', groupId: feature, ...parameters }
    : parameters;
}

export function problemsOfStrategy(
  { parameters = {}, constraints = [], variants = [] }: StrategyToCheck,
  definitions: readonly ParameterDefinition[],
): readonly StrategyProblem[] {
  return [
    ...definitions.flatMap((definition) =>
      problemOfParameter(
        definition,
        Object.hasOwn(parameters, definition.name) ? parameters[definition.name] : '',
      ),
    ),
    ...constraints.flatMap((constraint, index) => problemOfConstraint(constraint, `/constraints/${index}`)),
    ...problemsOfVariants(variants),
  ].slice(0, MAX_PROBLEMS);
}

function problemOfParameter({ name, type, required }: ParameterDefinition, value = ''): StrategyProblem[] {
  const path = `/parameters/${name}`;
  if (value === '') return required === true ? [{ path, message: 'is required' }] : [];
  const expected = PARAMETER_TYPES[type];
  return expected === undefined || expected.pattern.test(value) ? [] : [{ path, message: expected.message }];
}

const NUMBER = /^-?\d{1,15}(\.\d{1,15})?$/;

/** The types with a form; the others are any text. */
const PARAMETER_TYPES: Readonly<Record<string, { readonly pattern: RegExp; readonly message: string }>> = {
  percentage: { pattern: /^(\d|[1-9]\d|100)$/, message: 'must be a whole number from 0 to 100' },
  number: { pattern: NUMBER, message: 'must be a number' },
  boolean: { pattern: /^(true|false)$/, message: 'must be true or false' },
};

function problemOfConstraint(
  { operator, values = [], value = '', inverted }: ConstraintToCheck,
  path: string,
): StrategyProblem[] {
  // As in Unleash, whose SDKs cannot invert it. Only SDKs evaluate the pattern.
  if (operator === 'REGEX' && inverted === true)
    return [{ path: `${path}/inverted`, message: 'must be false for REGEX' }];
  if (operator.startsWith('STR_'))
    return values.length > 0 ? [] : [{ path: `${path}/values`, message: 'must hold at least one value' }];
  const [, form] = Object.entries(VALUE_FORMS).find(([prefix]) => operator.startsWith(prefix)) ?? [];
  return form === undefined || form.isValid(value)
    ? []
    : [{ path: `${path}/value`, message: `must be ${form.what}` }];
}

const SEMVER = /^\d{1,9}\.\d{1,9}\.\d{1,9}(-[\dA-Za-z.-]{1,100})?(\+[\dA-Za-z.-]{1,100})?$/;
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** The forms of a single value, by the beginning of the operator. */
const VALUE_FORMS = {
  NUM_: { isValid: (value: string) => NUMBER.test(value), what: 'a number' },
  DATE_: {
    isValid: isDate,
    what: 'a date and time, for example 2026-11-21T10:15:00Z',
  },
  SEMVER_: {
    isValid: (value: string) => SEMVER.test(value),
    what: 'a semantic version, for example 1.2.3',
  },
  REGEX: { isValid: (value: string) => value !== '', what: 'a regular expression' },
} as const;

/** Date.parse alone accepts 30 February. */
function isDate(value: string): boolean {
  if (!DATE.test(value) || Number.isNaN(Date.parse(value))) return false;
  const day = value.slice(0, 10);
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

export function problemsOfVariants(variants: NonNullable<StrategyToCheck['variants']>): StrategyProblem[] {
  if (variants.length === 0) return [];
  const path = '/variants';
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const countOf = (key: 'name' | 'stickiness') => new Set(variants.map((variant) => variant[key])).size;
  return [
    ...(total === 1000 ? [] : [{ path, message: `the weights must add up to 1000, not to ${total}` }]),
    ...(countOf('name') === variants.length ? [] : [{ path, message: 'the names must differ' }]),
    ...(countOf('stickiness') === 1 ? [] : [{ path, message: 'the stickiness must be the same' }]),
  ];
}
