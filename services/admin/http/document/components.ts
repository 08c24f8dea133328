import assert from 'node:assert/strict';
import type { JsonSchema } from '#base/schema';

/** The named schemas of a document. */
export type Components = {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Returns the schema as the document shows it: each part with a title becomes a reference to the component of that name. */
  refer(schema: JsonSchema): JsonSchema;
};

/**
 * Collects schemas by their titles. Validation and types use the schemas with nested parts, as they are written. Only the
 * document splits them.
 */
export function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {};
  const sources = new Map<string, object>();
  const refer = (schema: object): JsonSchema => {
    const { title, ...rest } = schema as { readonly title?: unknown }; // any other member may be a schema
    // The name of a schema is a string; a property called title is an object.
    if (typeof title !== 'string') return partsOf(schema);
    assert.equal(sources.get(title) ?? schema, schema, `two schemas are called ${title}`);
    if (!sources.has(title)) {
      sources.set(title, schema);
      schemas[title] = partsOf(rest);
    }
    return { $ref: `#/components/schemas/${title}` };
  };
  const partsOf = (schema: object): JsonSchema =>
    Object.fromEntries(Object.entries(schema).map(([key, part]: [string, unknown]) => [key, partOf(part)]));
  const partOf = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(partOf);
    return typeof part === 'object' && part !== null ? refer(part) : part;
  };
  return { schemas, refer };
}
