import type { ProblemStatus } from '#base/http';
import { CONFLICTS } from '../../denial.ts';
import type { JsonSchema } from '#base/schema';
import type { Tag } from './tags.ts';

/** The meaning of each documented error. */
export const PROBLEMS = {
  400: 'The request does not match the schema, or asks for something impossible.',
  401: 'The Authorization header is missing or its token is not valid.',
  403: 'The token is valid but does not have the permission.',
  404: 'There is no resource with this name.',
  409: `The state of the resource does not allow this. The name of the error says why: ${CONFLICTS.join(', ')}.`,
  408: 'The body did not arrive in time.',
  412: 'If-Match is outdated, because somebody else has changed the resource. Read it again, then repeat the change.',
  413: 'The body is too large.',
  415: 'The content type is not application/json, or the encoding is not supported.',
  428: 'If-Match is missing: this change needs the version that the caller has read.',
  429: 'The caller has exceeded a limit per minute or per day, or reads too many lists at the same time. Retry-After says when to try again.',
  500: 'Internal error. Search the log for the id.',
  503: 'An engine is not reachable, and nothing was stored. Try again in a few seconds.',
} as const satisfies Partial<Record<ProblemStatus, string>>;

export type DocumentedProblem = keyof typeof PROBLEMS;

/** An operation as the document shows it, of any service. */
export type Documented = {
  /** Unique; client generators name functions after it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Whether the operation needs no token. */
  readonly isOpen?: boolean;
  /** Whether the answer to `If-None-Match` may be 304. */
  readonly isConditional?: boolean;
  readonly parameters: readonly DocumentedParameter[];
  readonly body?: DocumentedContent;
  readonly answer: DocumentedContent & {
    readonly status: number;
    readonly description: string;
    /** The default is application/json. */
    readonly contentType?: string;
    readonly headers?: Readonly<
      Record<string, { readonly description: string; readonly schema: JsonSchema }>
    >;
  };
  readonly problems: readonly DocumentedProblem[];
};

/** Without a schema the answer has no content. */
export type DocumentedContent = { readonly schema?: JsonSchema; readonly example?: unknown };

export type DocumentedParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema: JsonSchema;
};
