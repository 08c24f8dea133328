import assert from 'node:assert/strict';
import type { JsonSchema } from '#schema';

/** The named schemas of a document. */
export type Components = {
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** The schema as the document shows it: every part that has a title is a reference to a component of that name. */
  refer(schema: JsonSchema): JsonSchema;
};

/**
 * Collects schemas by their titles. Validation and types use the schemas as they are written, with their parts inside
 * them; only the document takes them apart.
 */
export function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {};
  const sources = new Map<string, object>();
  const refer = (schema: object): JsonSchema => {
    const { title, ...rest } = schema as { readonly title?: unknown }; // any other member may be a schema
    // A property may be called title; a name is a string.
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
