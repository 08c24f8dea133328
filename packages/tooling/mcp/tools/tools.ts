import assert from 'node:assert/strict';
import { problemsOf, type JsonSchema, compileGuard } from '#base/schema';
import type { ApiRequest } from '../api.ts';
import { READING_TOOLS, type ToolDeclaration, WRITING_TOOLS } from './declarations.ts';
import { type DocumentedOperation, type OpenApiDocument, mapParts, resolve } from './document.ts';

export type Tool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON schema of the arguments, as the model gets it. */
  readonly inputSchema: JsonSchema;
  readonly isWriting: boolean;
  /** Why the arguments are wrong; undefined if they are right. */
  readonly problemOf: (input: unknown) => string | undefined;
  /** The request for arguments that have no problem. */
  requestOf(input: unknown): ApiRequest;
};

/** The tools whose operations the document has: an older server may lack some. */
export function createTools(
  document: OpenApiDocument,
  { isWriting }: { readonly isWriting: boolean },
): Tool[] {
  const operations = operationsOf(document);
  const create = (declarations: readonly ToolDeclaration[], isWritingTool: boolean): Tool[] =>
    declarations.flatMap((declaration) => {
      const operation = operations.get(declaration.operation);
      if (operation === undefined) return [];
      return [{ ...createTool(document, declaration, operation), isWriting: isWritingTool }];
    });
  return [...create(READING_TOOLS, false), ...(isWriting ? create(WRITING_TOOLS, true) : [])];
}

type Operation = DocumentedOperation & { readonly method: string; readonly path: string };

function operationsOf({ paths }: OpenApiDocument): ReadonlyMap<string, Operation> {
  return new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => [
        operation.operationId,
        { ...operation, method, path },
      ]),
    ),
  );
}

/** Where the arguments go. */
type Arguments = {
  readonly inPath: readonly string[];
  readonly inQuery: readonly string[];
  /** Undefined if the operation has no body. */
  readonly inBody: readonly string[] | undefined;
  readonly schema: JsonSchema & { readonly properties: Readonly<Record<string, JsonSchema>> };
};

function createTool(
  document: OpenApiDocument,
  declaration: ToolDeclaration,
  operation: Operation,
): Omit<Tool, 'isWriting'> {
  const { name, title, hint, fixed = {} } = declaration;
  const { operationId, method, path, summary } = operation;
  const { inPath, inQuery, inBody, schema } = argumentsOf(document, declaration, operation);
  const isValid = compileGuard<Readonly<Record<string, unknown>>>(schema);
  const offered = Object.keys(schema.properties).join(', ');
  return {
    name,
    title,
    description: `${summary}. ${hint}`,
    inputSchema: shownToModels(schema),
    problemOf(input) {
      if (isValid(input)) return undefined;
      const problems = problemsOf(isValid).map(({ path: place, message }) => `${place} ${message}`.trim());
      return `${problems.join('; ')}. The arguments are: ${offered}.`;
    },
    requestOf(input) {
      assert(isValid(input), 'the arguments have no problem');
      const given: Readonly<Record<string, unknown>> = {
        ...defaultsOf(schema.properties),
        ...input,
        ...fixed,
      };
      return {
        operation: operationId,
        method,
        path,
        parameters: pick(given, inPath, String),
        query: pick(given, inQuery, (value) => (Array.isArray(value) ? value.map(String) : String(value))),
        body: inBody === undefined ? undefined : pick(given, inBody, (value) => value),
      };
    },
  };
}

function argumentsOf(
  document: OpenApiDocument,
  { offers, fixed = {} }: ToolDeclaration,
  { parameters, requestBody }: Operation,
): Arguments {
  const isOffered = (name: string) => offers === undefined || offers.includes(name);
  const described = parameters.map(({ description, schema, ...rest }) => ({
    ...rest,
    schema: {
      ...limited(rest.name, resolve(document, schema)),
      ...(description === undefined ? {} : { description }),
    },
  }));
  const inPath = described.filter((one) => one.in === 'path');
  const inQuery = described.filter((one) => one.in === 'query' && isOffered(one.name));
  const content = requestBody && resolve(document, requestBody.content['application/json'].schema);
  const { properties = {}, required = [] } = (content ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  }; // a schema of an object; anything else has no arguments
  const inBody = Object.entries(properties).filter(([name]) => !(name in fixed) && isOffered(name));
  const all = [...[...inPath, ...inQuery].map(({ name, schema }) => [name, schema] as const), ...inBody];
  assert.equal(new Set(all.map(([name]) => name)).size, all.length, 'two arguments have the same name');
  return {
    inPath: inPath.map(({ name }) => name),
    inQuery: inQuery.map(({ name }) => name),
    inBody: content === undefined ? undefined : Object.keys(properties),
    schema: {
      type: 'object',
      required: [...inPath.map(({ name }) => name), ...required.filter((name) => !(name in fixed))],
      properties: Object.fromEntries(all),
      additionalProperties: false,
    },
  };
}

/** A model reads every item of a list. */
const LIMIT = { default: 20, maximum: 100 };

function limited(name: string, schema: JsonSchema): JsonSchema {
  return name === 'limit' ? { ...schema, ...LIMIT } : schema;
}

function defaultsOf({ limit }: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, unknown>> {
  return limit === undefined ? {} : { limit: limit['default'] };
}

function pick<T>(
  given: Readonly<Record<string, unknown>>,
  names: readonly string[],
  convert: (value: unknown) => T,
): Record<string, T> {
  return Object.fromEntries(
    names.flatMap((name) => (given[name] === undefined ? [] : [[name, convert(given[name])] as const])),
  );
}

const CONDITIONS: readonly string[] = ['if', 'then', 'else'];
const STANDARD_FORMATS: readonly unknown[] = ['date-time', 'date', 'uuid'];

/**
 * Without titles, and without what some providers of models do not know, for which they reject the whole tool: our own formats, conditions
 * and const. The arguments are checked by the whole schema.
 */
function shownToModels(schema: JsonSchema): JsonSchema {
  // A property may have the same name, but its value is an object.
  const isHidden = ([key, value]: [string, unknown]) =>
    typeof value === 'string'
      ? key === 'title' || (key === 'format' && !STANDARD_FORMATS.includes(value))
      : CONDITIONS.includes(key);
  const shown = Object.entries(schema)
    .filter((entry) => !isHidden(entry))
    .map(([key, value]): [string, unknown] =>
      key === 'const' && typeof value !== 'object' ? ['enum', [value]] : [key, value],
    );
  return mapParts(Object.fromEntries(shown), shownToModels);
}
