import { type JsonSchema, compileGuard } from '#base/schema';

/** The members of an OpenAPI document from which tools are made. */
export type OpenApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
};

export type DocumentedOperation = {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly DocumentedParameter[];
  readonly requestBody?: {
    readonly content: { readonly 'application/json': { readonly schema: JsonSchema } };
  };
};

type DocumentedParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly schema: JsonSchema;
};

const object = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

const operation = {
  ...object({
    operationId: { type: 'string' },
    summary: { type: 'string' },
    parameters: {
      type: 'array',
      items: object({
        name: { type: 'string' },
        in: { type: 'string', enum: ['path', 'query', 'header'] },
        schema: { type: 'object' },
      }),
    },
  }),
};

/** Whether the JSON has what we read of an OpenAPI document, so that something else at this address is recognised. */
export const isOpenApiDocument = compileGuard<OpenApiDocument>(
  object({
    paths: {
      type: 'object',
      additionalProperties: { type: 'object', additionalProperties: operation },
    },
    components: object({ schemas: { type: 'object', additionalProperties: { type: 'object' } } }),
  }),
);

const REFERENCE = /^#\/components\/schemas\/(\w+)$/;

/** Replaces references by the schemas that they name, because a tool has no components. */
export function resolve({ components }: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const [, name] = REFERENCE.exec(String(schema['$ref'])) ?? [];
  const named = name === undefined ? undefined : components.schemas[name];
  return mapParts(named ?? schema, (part) => resolve({ paths: {}, components }, part));
}

/** The same schema with other schemas inside it. */
export function mapParts(schema: JsonSchema, map: (part: JsonSchema) => JsonSchema): JsonSchema {
  const partOf = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(partOf);
    return isSchema(part) ? map(part) : part;
  };
  return Object.fromEntries(Object.entries(schema).map(([key, part]) => [key, partOf(part)]));
}

function isSchema(part: unknown): part is JsonSchema {
  return typeof part === 'object' && part !== null;
}
