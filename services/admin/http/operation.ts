import { type Guard, problemsOf, type JsonSchema, type QueryReader } from '#base/schema';
import type { ApiToken, Caller, Permission, Visible } from '#base/tokens';
import type { Scope } from './access/scope.ts';
import type { DocumentedProblem } from './document/documented.ts';
import type { Tag } from './document/tags.ts';
import type { QueueName } from './turns/queues.ts';
import { notFound, notValid } from '../denial.ts';
import type { VersionCheck } from '../version-check.ts';

/** One operation of the admin API. The router and the OpenAPI document both use this definition. */
export type Operation<Query = unknown> = {
  /** Unique; client generators name functions after it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** With parameters in braces; their schemas are in `path-parameters.ts`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly permission: Permission;
  /** Where the caller needs it. */
  readonly scope: Scope;
  /** Denied while AUTH_TYPE is none. */
  readonly isMakingToken?: true;
  /** The resource that its requests share; each caller may use a part of it. The default is `database`; `none` has its own limits. */
  readonly queue?: QueueName | 'none';
  /** If absent, the operation has no query parameters. */
  readonly query?: QueryReader<Query>;
  readonly body?: OperationBody;
  readonly answer: Answer;
  /** `run` returns a Versioned, whose version is sent as ETag. */
  readonly isVersioned?: true;
  /** `run` compares If-Match with the version; `needed` if some calls are 428 without it. If absent, the header is a 400. */
  readonly ifMatch?: 'optional' | 'needed';
  /** Errors in addition to those of every operation. */
  readonly problems?: readonly DocumentedProblem[];
  /**
   * Returns the value for the body of the answer, or a LongList; undefined means an empty body. It is a method, so that operations with
   * different queries fit into one list: the router passes each one the result of its own `query`.
   */
  run(request: AdminRequest<Query>): Promise<unknown>;
};

export type OperationBody = {
  readonly schema: JsonSchema;
  readonly example: unknown;
  /** The limit after decompression; the default is 102,400. */
  readonly maxBytes?: number;
};

export type Answer = {
  readonly status: 200 | 201;
  readonly description: string;
  /** The default is application/json. Any other is a stream without an end. */
  readonly contentType?: string;
  readonly schema?: JsonSchema;
  readonly example?: unknown;
};

/** A request whose caller is known and has the required permission. */
export type AdminRequest<Query = unknown> = {
  readonly caller: Caller;
  /** Undefined while AUTH_TYPE is none. */
  readonly token: ApiToken | undefined;
  /** The projects in which the caller has the permission; undefined means every project. Operations with the scope `visible` show no other. */
  readonly visible: Visible;
  /** The parameters of the path; each one matches its schema. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Query;
  /** Whether If-Match accepts a version; true without the header. */
  readonly isCurrent: VersionCheck;
  /** The versions in If-Match; undefined without the header, and if it is `*`. */
  readonly namedVersions: ReadonlySet<number> | undefined;
  /** The parsed JSON body; undefined if the operation has none. */
  readonly body: unknown;
  /** Aborted when the client leaves before it has its answer. */
  readonly left: AbortSignal;
};

/** Builds an operation with a body; it answers 400 if the body does not match the schema. */
export function withBody<T>(
  isValid: Guard<T>,
  run: (request: AdminRequest, body: T) => Promise<unknown>,
): Operation['run'] {
  return (request) => {
    const { body } = request;
    if (isValid(body)) return run(request, body);
    throw notValid('The body is not valid.', problemsOf(isValid));
  };
}

/** A path parameter that is a name. */
export function nameParameter({ parameters }: AdminRequest, parameter: string): string {
  return parameters[parameter] ?? '';
}

const MAX_ID = 2 ** 31 - 1;

/** A path parameter that is a number; throws a 404 if the number exceeds the column. */
export function idParameter({ parameters }: AdminRequest, parameter: string): number {
  const id = Number(parameters[parameter]);
  if (!(id <= MAX_ID)) throw notFound();
  return id;
}
