import { parseTime, type Guard, createAjv, lazyGuard } from '#base/schema';
import { isRecord } from '../encoding/guards.ts';

/**
 * The guard of a body for paths that take what Unleash takes (docs/use/senders/contract.md#what-unleash-takes). Like the validator of
 * Unleash, it replaces a value that only has another type, such as `"12"` where a number belongs. So a body that passes has the types
 * of its schema, and what follows is the same as for `/edge/metrics`.
 */
export function compileCoercingGuard<T>(schema: object): Guard<T> {
  return lazyGuard(() => {
    // Unleash takes 1e400 as an interval. Counts have a maximum.
    const ajv = createAjv({ coerceTypes: true, strictNumbers: false });
    // Replaces the format of other guards. Numbers are already text here.
    ajv.addFormat('timestamp', { type: 'string', validate: (text) => parseTime(text) !== undefined });
    return ajv.compile<T>(withoutNullNumbers({ ...schema }));
  });
}

/**
 * The same schema, in which a number may not be null: else Ajv would take `"yes": ""` for null. The null that a sender writes becomes 0,
 * as in Unleash.
 */
function withoutNullNumbers(schema: Record<string, unknown>): object {
  const { properties, items, additionalProperties, type } = schema;
  const isNumber = Array.isArray(type) && (type[0] === 'integer' || type[0] === 'number');
  return {
    ...schema,
    ...(isNumber && { type: type[0] as unknown }),
    ...(isRecord(properties) && { properties: mapValues(properties) }),
    ...(isRecord(items) && { items: withoutNullNumbers(items) }),
    ...(isRecord(additionalProperties) && {
      additionalProperties: withoutNullNumbers(additionalProperties),
    }),
  };
}

function mapValues(schemas: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [
      name,
      isRecord(schema) ? withoutNullNumbers(schema) : schema,
    ]),
  );
}
