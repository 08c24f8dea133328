import { HttpProblem, errorSchema, problemBody } from '#base/http';
import type { JsonSchema } from '#base/schema';
import type { Operation } from '../operation.ts';
import { type Components, createComponents } from './components.ts';
import { documentAdmin } from './documented-admin.ts';
import { PROCESS_OPERATIONS } from './documented-processes.ts';
import { RELAY_OPERATIONS } from './documented-relays.ts';
import { type Documented, type DocumentedProblem, PROBLEMS, type DocumentedContent } from './documented.ts';
import { TAGS } from './tags.ts';

type Json = Readonly<Record<string, unknown>>;

/** Builds the OpenAPI 3.1 document from the same schemas that validate requests. */
export function createDocument(operations: readonly Operation[]): Json {
  const components = createComponents();
  const error = components.refer(errorSchema);
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of [...operations.map(documentAdmin), ...RELAY_OPERATIONS, ...PROCESS_OPERATIONS]) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: describe(operation, components) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'flagmeter API',
      version: '1.0.0',
      description: 'The API for relays and for the admin UI. All errors have the same body.',
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
          description:
            'The secret of a token is the whole value: an ADMIN or personal token for the admin API, a client token for relays and SDKs.',
        },
      },
      schemas: components.schemas,
      responses: Object.fromEntries(
        Object.entries(PROBLEMS).map(([status, description]) => [
          status,
          problemOf(Number(status) as DocumentedProblem, description, error), // a key of PROBLEMS
        ]),
      ),
    },
  };
}

function problemOf(status: DocumentedProblem, description: string, schema: JsonSchema): Json {
  const problem = new HttpProblem(status, description);
  const example = { ...problemBody(problem), id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11' };
  const content = { 'application/json': { schema, example } };
  return status === 401 ? { description, headers: CHALLENGE, content } : { description, content };
}

const CHALLENGE = {
  'WWW-Authenticate': {
    description: 'The scheme of the Authorization header.',
    schema: { type: 'string' },
    example: 'Bearer realm="flagmeter"',
  },
};

function describe(operation: Documented, components: Components): Json {
  const { id, tag, summary, description, isOpen = false, parameters, body, answer, problems } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(isOpen ? { security: [] } : {}),
    parameters,
    ...(body === undefined ? {} : { requestBody: { required: true, ...contentOf(body, components) } }),
    responses: {
      [answer.status]: {
        description: answer.description,
        ...(answer.headers === undefined ? {} : { headers: answer.headers }),
        ...contentOf(answer, components, answer.contentType),
      },
      ...(operation.isConditional === true ? { 304: { description: UNCHANGED } } : {}),
      ...Object.fromEntries(problems.map((status) => [status, { $ref: `#/components/responses/${status}` }])),
    },
  };
}

const UNCHANGED = 'The ETag in If-None-Match is still that of the answer.';

function contentOf(
  { schema, example }: DocumentedContent,
  components: Components,
  type = 'application/json',
): Json {
  return schema === undefined ? {} : { content: { [type]: { schema: components.refer(schema), example } } };
}
