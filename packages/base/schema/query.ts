import { type SchemaProblem, problemsOf } from './schema-problems.ts';
import { lazyGuard } from './validator.ts';
import { createSchemaAjv } from './ajv.ts';
import type { JsonSchema } from './schema.ts';

export type ParameterSchema = JsonSchema & {
  readonly type: 'string' | 'integer' | 'number' | 'boolean';
  readonly description: string;
};

/** A parameter that may be given several times, such as `feature=a&feature=b`. */
export type ListParameterSchema = JsonSchema & {
  readonly type: 'array';
  readonly items: JsonSchema & { readonly type: 'string' };
  readonly description: string;
};

/** Each property is a query parameter. */
export type QuerySchema = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, ParameterSchema | ListParameterSchema>>;
};

/** The typed parameters of a query, or the problems with them. */
export type QueryResult<T> = { readonly query: T } | { readonly problems: readonly SchemaProblem[] };

export type QueryReader<T> = {
  readonly schema: QuerySchema;
  read(given: Readonly<Record<string, string | string[] | undefined>>): QueryResult<T>;
};

const ajv = createSchemaAjv({ useDefaults: true, allErrors: true });
const MAX_PROBLEMS = 10;

/**
 * Compiles a reader for the schema. An empty parameter counts as absent; an unknown one is a problem. T must be `FromSchema` of
 * the schema.
 */
export function compileQuery<T>(schema: QuerySchema): QueryReader<T> {
  const isValid = lazyGuard(() => ajv.compile<T>(schema));
  return {
    schema,
    read(given) {
      const values: Record<string, unknown> = {};
      const problems: SchemaProblem[] = [];
      for (const [name, value = ''] of Object.entries(given)) {
        const declared = Object.hasOwn(schema.properties, name) ? schema.properties[name] : undefined;
        if (declared === undefined)
          problems.push({ path: `/${name.slice(0, 100)}`, message: unknownTo(schema) });
        else if (declared.type === 'array') setList(values, name, value);
        else if (Array.isArray(value)) problems.push({ path: `/${name}`, message: 'may be given once' });
        else if (value !== '') values[name] = valueOf(value, declared);
      }
      const query: unknown = values;
      if (isValid(query) && problems.length === 0) return { query };
      return { problems: [...problems, ...problemsOf(isValid)].slice(0, MAX_PROBLEMS) };
    },
  };
}

function setList(values: Record<string, unknown>, name: string, value: string | string[]): void {
  const items = [value].flat().filter((item) => item !== '');
  if (items.length > 0) values[name] = items;
}

function unknownTo({ properties }: QuerySchema): string {
  const names = Object.keys(properties);
  return `is unknown; ${names.length === 0 ? 'there are none' : `there are ${names.join(', ')}`}`;
}

const WHOLE = /^-?\d{1,15}$/;
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;

/** Converts a text to the type of its parameter. If that is impossible, returns the text itself, which the schema then rejects. */
function valueOf(text: string, { type }: ParameterSchema): unknown {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const isNumber = (type === 'integer' && WHOLE.test(text)) || (type === 'number' && DECIMAL.test(text));
  return isNumber ? Number(text) : text;
}
