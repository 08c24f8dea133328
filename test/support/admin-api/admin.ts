import { randomUUID } from 'node:crypto';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { readConfig } from '#base/runtime';
import { startAdmin } from '../../../services/admin/app.ts';
import { shared } from '../shared-world.ts';
import { IN_A_MONTH } from '../times.ts';
import { createWorldWithoutTopics } from '../uncounted-world.ts';
import { ADMIN_TOKEN, type World, createWorld } from '../world.ts';

export type Answer = { readonly status: number; readonly body: unknown; readonly headers: Headers };

export type Call = {
  /** The Authorization header. `null` sends none; by default an ADMIN token. */
  readonly token?: string | null;
  readonly body?: unknown;
  /** Sent as it is, instead of `body`. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
};

/** A caller of the admin API that throws if an answer is not in the OpenAPI document. */
export type Api = {
  readonly url: string;
  readonly document: Document;
  call(method: string, path: string, call?: Call): Promise<Answer>;
  get(path: string, call?: Call): Promise<Answer>;
  post(path: string, body?: unknown, call?: Call): Promise<Answer>;
  put(path: string, body: unknown, call?: Call): Promise<Answer>;
  delete(path: string, call?: Call): Promise<Answer>;
};

type Content = { readonly content?: { readonly 'application/json': { readonly schema: object } } };
export type DocumentedParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: {
    readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'array';
    readonly enum?: readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly maxLength?: number;
    readonly pattern?: string;
    readonly format?: string;
    readonly default?: string | number | boolean;
  };
};
export type DocumentedOperation = {
  readonly operationId: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly parameters: readonly DocumentedParameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly example: unknown } } };
  readonly responses: Record<string, Content | { readonly $ref: string }>;
};
export type Document = {
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: {
    readonly responses: Record<string, Content>;
    readonly schemas: Record<string, object>;
  };
};

export type AdminWorld = World & { readonly api: Api };

/** An admin service in this process, which finds no counts. */
export async function createAdminWorld(overrides: Record<string, string> = {}): Promise<AdminWorld> {
  return withAdmin(await createWorldWithoutTopics(overrides));
}

/** An admin service in this process, and tables for counts. */
export async function createCountedAdminWorld(overrides: Record<string, string> = {}): Promise<AdminWorld> {
  return withAdmin(await createWorld(overrides));
}

export const sharedAdminWorld = shared(createAdminWorld);
export const sharedCountedAdminWorld = shared(createCountedAdminWorld);

/** Another admin service of a world, with other settings. */
export async function runAdmin(world: World, settings: Record<string, string>): Promise<Api> {
  const config = readConfig({ ...world.env, ...settings });
  const { url } = await world.run((_, log) => startAdmin(config, log));
  return openApi(url);
}

async function withAdmin(world: World): Promise<AdminWorld> {
  try {
    const { url } = await world.run(startAdmin);
    return { ...world, api: await openApi(url) };
  } catch (error) {
    await world.dispose();
    throw error;
  }
}

type Check = (method: string, path: string, answer: Answer) => void;
/** By the text of the document, because it takes 4 ms to compile the guard of one schema. */
const checks = new Map<string, Check>();

export async function openApi(url: string): Promise<Api> {
  const text = await (await fetch(`${url}/docs/openapi.json`)).text();
  const document = JSON.parse(text) as Document;
  const check = checks.get(text) ?? createCheck(document);
  checks.set(text, check);
  const call = async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const { token = ADMIN_TOKEN, body, rawBody, headers = {} } = call;
    const hasBody = body !== undefined || rawBody !== undefined;
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: token }),
        ...(hasBody ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(hasBody ? { body: rawBody ?? JSON.stringify(body) } : {}),
    });
    const content = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      body: content === '' ? undefined : (JSON.parse(content) as unknown),
    };
    check(method, path, answer);
    return answer;
  };
  return {
    url,
    document,
    call,
    get: (path, options) => call('GET', path, options),
    post: (path, body, options) => call('POST', path, { ...options, body }),
    put: (path, body, options) => call('PUT', path, { ...options, body }),
    delete: (path, options) => call('DELETE', path, options),
  };
}

/** Throws if an answer does not match the document of its operation. */
function createCheck(document: Document): Check {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const guards = new Map<object, ValidateFunction>();
  const guardOf = (schema: object): ValidateFunction => {
    const guard = guards.get(schema) ?? ajv.compile({ ...schema, components: document.components });
    guards.set(schema, guard);
    return guard;
  };
  const routes = Object.entries(document.paths).map(([template, methods]) => ({
    // If several paths match, the literal one is more precise than one with parameters.
    weight: template.split('{').length,
    pattern: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }));
  routes.sort((one, other) => one.weight - other.weight);
  return (method, path, { status, body }) => {
    const { pathname } = new URL(path, 'http://localhost');
    const operation = routes.find(
      ({ pattern, methods }) => pattern.test(pathname) && method.toLowerCase() in methods,
    )?.methods[method.toLowerCase()];
    const problem = document.components.responses['404']?.content?.['application/json'].schema ?? {};
    if (operation === undefined) {
      requireConformity(guardOf(problem), body, `${method} ${path} ${status}`);
      return;
    }
    const documented = operation.responses[String(status)];
    if (documented === undefined)
      throw new Error(`${operation.operationId} answers ${status}, which is not documented`);
    const content =
      '$ref' in documented ? document.components.responses[String(status)]?.content : documented.content;
    const place = `${operation.operationId} ${status}`;
    if (content !== undefined && 'application/json' in content)
      requireConformity(guardOf(content['application/json'].schema), body, place);
    else if (body !== undefined) throw new Error(`${place} has a body, which is not documented`);
  };
}

function requireConformity(guard: ValidateFunction, body: unknown, place: string): void {
  if (!guard(body))
    throw new Error(`${place} is not as documented: ${JSON.stringify(guard.errors)} ${JSON.stringify(body)}`);
}

export type ExampleCall = {
  readonly id: string;
  readonly method: string;
  /** A path with names and ids of things that do not exist. */
  readonly path: string;
  /** The example of the document, with its dates moved to the future; undefined if the operation takes no body. */
  readonly body: unknown;
  /** The statuses that the document lists. */
  readonly statuses: readonly number[];
  /** The names of the headers that the document lists. */
  readonly headers: readonly string[];
};

/**
 * Every operation of the admin API with its parameters, and a path with names and ids of things that do not exist.
 */
export function operationsOf({ document }: Api) {
  return adminPathsOf(document).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      template,
      method,
      path: pathOf(template),
      body: bodyOf(operation),
      parameters: operation.parameters.filter((parameter) => parameter.in === 'path'),
      query: operation.parameters.filter((parameter) => parameter.in === 'query'),
      /** Whether it shows only the projects in which its caller has the permission. */
      isVisible: operation.description.includes('in each project that it shows'),
    })),
  );
}

/** A value that is nobody's name and nobody's id. */
export const NOTHING = '99999';

/** A request to each operation of the admin API. */
export function exampleCalls({ document }: Api): ExampleCall[] {
  return adminPathsOf(document).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path: pathOf(template),
      body: bodyOf(operation),
      statuses: Object.keys(operation.responses).map(Number),
      headers: operation.parameters.flatMap((one) => (one.in === 'header' ? [one.name] : [])),
    })),
  );
}

/** A version, for the operations that compare one: without it some answer 428 first. */
export function versionIn({ headers }: Pick<ExampleCall, 'headers'>): Record<string, string> {
  return headers.includes('If-Match') ? { 'if-match': '"1"' } : {};
}

/** The document also lists the operations for relays, which the admin service alone does not serve. */
function adminPathsOf({ paths }: Document) {
  return Object.entries(paths).filter(([path]) => path.startsWith('/api/admin/'));
}

function pathOf(template: string): string {
  return template
    .replaceAll(/\{(tokenId|strategyId|sessionId)\}/g, randomUUID())
    .replaceAll(/\{\w+\}/g, NOTHING);
}

function bodyOf({ requestBody }: DocumentedOperation): unknown {
  return requestBody && putOff(requestBody.content['application/json'].example);
}

function putOff(example: unknown): unknown {
  return JSON.parse(
    JSON.stringify(example).replaceAll(/"20\d\d-\d\d-\d\d/g, `"${IN_A_MONTH.slice(0, 10)}`),
  ) as unknown;
}

/** A user with a role, and the secret of a personal token that the user has made. */
export async function aUser(
  api: Api,
  rootRole: 'Admin' | 'Editor' | 'Viewer' | 'None',
  username: string,
): Promise<{ id: number; token: string }> {
  const { id } = made(await api.post('/api/admin/user-admin', { username, rootRole })) as { id: number };
  const token = { description: 'test', expiresAt: IN_A_MONTH };
  const first = made(await api.post(`/api/admin/user-admin/${id}/tokens`, token));
  const { secret } = first as { secret: string };
  const own = made(await api.post('/api/admin/user/tokens/take-over', token, { token: secret }));
  return { id, token: (own as { secret: string }).secret };
}

export async function aFeature(api: Api, name: string, project = 'default'): Promise<void> {
  made(await api.post(`/api/admin/projects/${project}/features`, { name }));
}

/** The body of an answer to a caller who expects that something was made. */
function made({ status, body }: Answer): unknown {
  if (status !== 201) throw new Error(`the admin API answers ${status}: ${JSON.stringify(body)}`);
  return body;
}

/** Types of the events of a feature, oldest first. */
export async function eventTypesOf(api: Api, feature: string): Promise<string[]> {
  const { body } = await api.get(`/api/admin/events/${feature}`);
  return (body as { events: { type: string }[] }).events.map(({ type }) => type).reverse();
}
