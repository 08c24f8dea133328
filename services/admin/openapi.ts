import { type JsonSchema, errorSchema } from '#contract';
import { HttpProblem, type ProblemStatus, problemBody } from '#http';
import { type Components, createComponents } from './components.ts';
import type { Answer, Operation } from './operation.ts';
import { pathParametersOf } from './path-parameters.ts';
import { TAGS } from './tags.ts';

type Json = Readonly<Record<string, unknown>>;

/** What every operation may answer beside its success. */
const COMMON_PROBLEMS = [400, 401, 403, 500, 503] as const;
const BODY_PROBLEMS = [413, 415] as const;

const PROBLEMS: Readonly<Partial<Record<ProblemStatus, string>>> = {
  400: 'The request is not as the schema says, or asks for what cannot be done.',
  401: 'The Authorization header is missing or its token is not valid.',
  403: 'The token is valid and may not do this.',
  404: 'There is nothing of that name.',
  409: 'There is something of that name already.',
  413: 'The body is too large.',
  415: 'The content type is not application/json, or the encoding is not known.',
  500: 'Something went wrong on our side. The id leads to the log.',
  503: 'A database is away. Try again in a few seconds.',
};

/** The OpenAPI 3.1 document, made of the schemas that validate. */
export function createDocument(operations: readonly Operation[]): Json {
  const components = createComponents();
  const error = components.refer(errorSchema);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: describe(operation, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'flagmeter admin API',
      version: '1.0.0',
      description:
        'Features, events, change requests, tokens and usage of a flagmeter instance. Errors always have the same body.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The secret of an ADMIN token or of a personal token, as the whole value.',
        },
      },
      schemas: components.schemas,
      responses: Object.fromEntries(
        Object.entries(PROBLEMS).map(([status, description]) => [
          status,
          problemOf(Number(status), description, error),
        ]),
      ),
    },
  };
}

function problemOf(status: number, description: string, schema: JsonSchema): Json {
  const problem = new HttpProblem(status as ProblemStatus, description); // a key of PROBLEMS
  const example = { ...problemBody(problem), id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11' };
  return { description, content: { 'application/json': { schema, example } } };
}

function describe(operation: Operation, components: Components): Json {
  const { id, tag, summary, permission, body, answer, problems = [] } = operation;
  const statuses = [...COMMON_PROBLEMS, ...(body === undefined ? [] : BODY_PROBLEMS), ...problems];
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: `Permission: ${permission}.`,
    parameters: parametersOf(operation),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body, components) } }),
    responses: {
      [answer.status]: answerOf(answer, components),
      ...Object.fromEntries(
        [...new Set(statuses)].sort().map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

function parametersOf({ path, query }: Operation): Json[] {
  const inPath = pathParametersOf(path).map(({ name, schema: { description, ...schema } }) => ({
    name,
    in: 'path',
    required: true,
    description,
    schema,
  }));
  const inQuery = Object.entries(query?.schema.properties ?? {}).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: false,
      allowEmptyValue: true,
      description,
      schema,
    }),
  );
  return [...inPath, ...inQuery];
}

function answerOf({ description, schema, example }: Answer, components: Components): Json {
  if (schema === undefined) return { description };
  return { description, content: contentOf({ schema, example }, components) };
}

type Sample = { readonly schema: JsonSchema; readonly example?: unknown };

function contentOf({ schema, example }: Sample, components: Components): Json {
  return { 'application/json': { schema: components.refer(schema), example } };
}
