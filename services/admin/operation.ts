import type { ValidateFunction } from 'ajv';
import { type JsonSchema, problemsOf } from '#contract';
import { type Caller, type Permission, problemOfName } from '#domain';
import { HttpProblem, type ProblemStatus } from '#http';
import type { Tag } from './tags.ts';

/** One operation of the admin API: what the router serves and what the OpenAPI document says, from one place. */
export type Operation = {
  /** Unique; generated clients name their functions by it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly permission: Permission;
  readonly query?: Readonly<Record<string, QueryParameter>>;
  readonly body?: { readonly schema: JsonSchema; readonly example: unknown };
  readonly answer: Answer;
  /** Errors beside those that every operation has. */
  readonly problems?: readonly ProblemStatus[];
  /** Gives what the answer carries; undefined is an empty body. */
  readonly run: (request: AdminRequest) => Promise<unknown>;
};

export type QueryParameter = { readonly description: string; readonly schema: JsonSchema };

export type Answer = {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
};

/** A request whose caller is known and may do what it asks. */
export type AdminRequest = {
  readonly caller: Caller;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** JSON of the body; undefined where the operation takes none. */
  readonly body: unknown;
};

/** An operation that takes a body: 400 unless it is as the schema says. */
export function withBody<T>(
  isValid: ValidateFunction<T>,
  run: (request: AdminRequest, body: T) => Promise<unknown>,
): Operation['run'] {
  return (request) => {
    const { body } = request;
    if (isValid(body)) return run(request, body);
    throw new HttpProblem(400, 'The body is not as expected.', { details: problemsOf(isValid) });
  };
}

/** A path parameter that is a name; 404 for what nothing can be called, with which Postgres cannot even compare. */
export function nameParameter({ parameters }: AdminRequest, parameter: string): string {
  const name = parameters[parameter] ?? '';
  if (problemOfName(name) !== undefined) throw notFound();
  return name;
}

const MAX_ID = 2 ** 31 - 1;

/** A path parameter that is a number; 404 for what cannot be the id of anything. */
export function idParameter({ parameters }: AdminRequest, parameter: string): number {
  const text = parameters[parameter] ?? '';
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  if (id === 0 || id > MAX_ID) throw notFound();
  return id;
}

export function notFound(message = 'There is nothing of that name.'): HttpProblem {
  return new HttpProblem(404, message);
}
