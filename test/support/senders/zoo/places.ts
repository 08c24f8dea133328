/** A JSON schema, as far as the zoo reads it. */
export type Schema = {
  readonly description?: string;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly oneOf?: readonly Schema[];
};

/** A place of a body: where another value may stand. */
export type BodyPlace = {
  readonly steps: readonly (string | number)[];
  /** Whether a time belongs there. */
  readonly isTime: boolean;
};

/** The item of a list that varies, and the name of such a member of an object with any names. What is before it stays right. */
export const VARIED_ITEM = 1;
export const VARIED_NAME = 'varied';

/** All places of a body, from its schema. `resolve` finds the schema of a reference. */
export function placesOf(schema: Schema, resolve: (reference: string) => Schema): BodyPlace[] {
  const places = new Map<string, BodyPlace>();
  const walk = (from: Schema, steps: BodyPlace['steps']): void => {
    const read = from.$ref === undefined ? from : resolve(from.$ref);
    const alternatives = [read, ...(read.oneOf ?? [])];
    if (steps.length > 0) {
      const isTime = alternatives.some(({ format }) => format === 'date-time' || format === 'timestamp');
      const known = places.get(nameOfPlace(steps));
      places.set(nameOfPlace(steps), { steps, isTime: isTime || known?.isTime === true });
    }
    for (const { properties = {}, items, additionalProperties } of alternatives) {
      for (const [name, member] of Object.entries(properties)) walk(member, [...steps, name]);
      if (items !== undefined) walk(items, [...steps, VARIED_ITEM]);
      if (typeof additionalProperties === 'object') walk(additionalProperties, [...steps, VARIED_NAME]);
    }
  };
  walk(schema, []);
  return [...places.values()];
}

/** Such as `metrics[].variants.*`. */
export function nameOfPlace(steps: BodyPlace['steps']): string {
  return steps
    .map((step, index) => {
      if (typeof step === 'number') return '[]';
      if (step === VARIED_NAME) return '.*';
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/** No value: the place is left out. */
export const MISSING = Symbol('missing');

/** A copy of a body with another value in one place, which it has or may have. Undefined if the body has no such place. */
export function bodyWith(body: unknown, steps: BodyPlace['steps'], value: unknown): unknown {
  const copy = structuredClone(body);
  let holder = copy as Record<string | number, unknown>; // a body is an object
  for (const step of steps.slice(0, -1)) {
    const next = holder[step];
    if (typeof next !== 'object' || next === null) return undefined;
    holder = next as typeof holder; // or a list
  }
  const last = steps.at(-1) ?? '';
  if (value === MISSING && Array.isArray(holder)) return undefined;
  if (value === MISSING) Reflect.deleteProperty(holder, last);
  else holder[last] = value;
  return copy;
}
