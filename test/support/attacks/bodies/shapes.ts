/** A JSON Schema, as far as it says what a body may hold. */
export type Schema = {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly $ref?: string;
};

export type Path = readonly (string | number)[];

/** A part of a body that a sender chooses: its place, what it is, and what it holds in an honest body. */
export type Part = {
  readonly path: Path;
  readonly kind: 'text' | 'number' | 'list' | 'map' | 'object';
  readonly value: unknown;
  /** Of a list or map: one of its items. */
  readonly item: unknown;
  /** The characters or items that the schema allows. */
  readonly max?: number | undefined;
};

/** Depth at which schemas that contain themselves end. */
const MAX_DEPTH = 14;

/** All parts of a body with this schema. What the example lacks, or the schema leaves open, comes from the other one. */
export function partsOf(schema: Schema, example: unknown, resolve: (ref: string) => Schema): Part[] {
  const parts: Part[] = [];
  const visit = (unresolved: Schema, given: unknown, path: Path): void => {
    if (path.length > MAX_DEPTH) return;
    const known = simplified(unresolved, resolve);
    const value = given ?? defaultOf(known, resolve, 0);
    const add = (kind: Part['kind'], item?: unknown): void => {
      parts.push({ path, kind, value, item, max: known.maxLength ?? known.maxItems });
    };
    if (typeof value === 'string') add('text');
    else if (typeof value === 'number') add('number');
    else if (Array.isArray(value)) {
      const item: unknown = value[0] ?? defaultOf(known.items ?? {}, resolve, 0);
      add('list', item);
      visit(known.items ?? {}, item, [...path, 0]);
      // Attributes say what they are by their keys, so each of them is another part, as far as it has a value.
      if (path.at(-1) === 'attributes')
        for (const [index, other] of value.entries()) if (index > 0) visit({}, other, [...path, index]);
    } else if (typeof value === 'object' && value !== null) {
      const members = value as Readonly<Record<string, unknown>>;
      const rest = typeof known.additionalProperties === 'object' ? known.additionalProperties : undefined;
      if (rest !== undefined && known.properties === undefined) {
        const [key = 'a', item = defaultOf(rest, resolve, 0)] = Object.entries(members)[0] ?? [];
        add('map', item);
        visit(rest, item, [...path, key]);
        return;
      }
      add('object');
      for (const name of new Set([...Object.keys(members), ...Object.keys(known.properties ?? {})]))
        visit(known.properties?.[name] ?? {}, members[name], [...path, name]);
    }
  };
  visit(schema, example, []);
  return parts;
}

/** The first alternative, without references. */
function simplified(schema: Schema, resolve: (ref: string) => Schema): Schema {
  if (schema.$ref !== undefined) return simplified(resolve(schema.$ref), resolve);
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  return first === undefined ? schema : simplified({ ...schema, ...first, anyOf: [], oneOf: [] }, resolve);
}

/** A value that the schema allows, as far as its types say. */
function defaultOf(unresolved: Schema, resolve: (ref: string) => Schema, depth: number): unknown {
  const schema = simplified(unresolved, resolve);
  const [type] = [schema.type ?? 'string'].flat().filter((one) => one !== 'null');
  if (schema.const !== undefined || schema.enum !== undefined) return schema.const ?? schema.enum?.[0];
  if (type === 'array') return depth > MAX_DEPTH ? [] : [defaultOf(schema.items ?? {}, resolve, depth + 1)];
  if (type === 'object') {
    if (depth > MAX_DEPTH) return {};
    const { properties = {}, additionalProperties: rest } = schema;
    const members = Object.entries(properties).map(([name, of]) => [name, defaultOf(of, resolve, depth + 1)]);
    if (members.length > 0 || typeof rest !== 'object') return Object.fromEntries(members);
    return { a: defaultOf(rest, resolve, depth + 1) };
  }
  if (type === 'boolean') return true;
  return type === 'integer' || type === 'number' ? 1 : 'a';
}

/** The body with another value at a place. */
export function withValue(body: unknown, [step, ...rest]: Path, value: unknown): unknown {
  if (step === undefined) return value;
  if (typeof step === 'number') {
    const items: readonly unknown[] = Array.isArray(body) ? body : [];
    return items.length === 0
      ? [withValue(undefined, rest, value)]
      : items.map((item, index) => (index === step ? withValue(item, rest, value) : item));
  }
  const members = typeof body === 'object' && body !== null ? body : {};
  return { ...members, [step]: withValue((members as Record<string, unknown>)[step], rest, value) };
}
