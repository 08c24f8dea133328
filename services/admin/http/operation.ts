import type { ValidateFunction } from 'ajv';
import { HttpProblem } from '#http';
import { problemsOf } from '#counting';
import { type JsonSchema, type QueryReader } from '#schema';
import type { Caller, Permission } from '#tokens';
import type { DocumentedProblem } from './document/documented.ts';
import type { Tag } from './document/tags.ts';

/** One operation of the admin API: what the router serves and what the OpenAPI document says, from one place. */
export type Operation<Query = unknown> = {
  /** Unique; generated clients name their functions by it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces, whose schemas are in `path-parameters.ts`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly permission: Permission;
  /** Rejected while anybody may call. */
  readonly isMakingToken?: true;
  /** No parameters if it is left out. */
  readonly query?: QueryReader<Query>;
  readonly body?: { readonly schema: JsonSchema; readonly example: unknown };
  readonly answer: Answer;
  /** Errors beside those that every operation has. */
  readonly problems?: readonly DocumentedProblem[];
  /**
   * Gives what the answer carries; undefined is an empty body. It is a method, so that operations with different
   * queries fit one list: the router gives each what its own `query` has read.
   */
  run(request: AdminRequest<Query>): Promise<unknown>;
};

export type Answer = {
  readonly status: 200 | 201;
  readonly description: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
};

/** A request whose caller is known and may do what it asks. */
export type AdminRequest<Query = unknown> = {
  readonly caller: Caller;
  /** Of the path; each is as its schema says. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Query;
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
    throw new HttpProblem(400, 'The body is not valid.', { details: problemsOf(isValid) });
  };
}

/** A path parameter that is a name. */
export function nameParameter({ parameters }: AdminRequest, parameter: string): string {
  return parameters[parameter] ?? '';
}

const MAX_ID = 2 ** 31 - 1;

/** A path parameter that is a number; 404 for one that the column cannot hold. */
export function idParameter({ parameters }: AdminRequest, parameter: string): number {
  const id = Number(parameters[parameter]);
  if (!(id <= MAX_ID)) throw notFound();
  return id;
}

export function notFound(message = 'Nothing has this name.'): HttpProblem {
  return new HttpProblem(404, message);
}
