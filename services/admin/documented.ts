import type { JsonSchema } from '#contract';
import type { ProblemStatus } from '#http';
import type { Tag } from './tags.ts';

/** What each documented error means. */
export const PROBLEMS = {
  400: 'The request is not as the schema says, or asks for what cannot be done.',
  401: 'The Authorization header is missing or its token is not valid.',
  403: 'The token is valid and may not do this.',
  404: 'There is nothing of that name.',
  409: 'There is something of that name already.',
  408: 'The body did not arrive in time.',
  413: 'The body is too large.',
  415: 'The content type is not application/json, or the encoding is not known.',
  429: 'The caller has sent more than it may in this minute or day, or reads too many lists at once. Retry-After says when to try again.',
  500: 'Something went wrong on our side. The id leads to the log.',
  503: 'An engine is away, and nothing was stored. Try again in a few seconds.',
} as const satisfies Partial<Record<ProblemStatus, string>>;

export type DocumentedProblem = keyof typeof PROBLEMS;

/** An operation as the document shows it, whoever serves it. */
export type Documented = {
  /** Unique; generated clients name their functions by it. */
  readonly id: string;
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** Whether it needs no token. */
  readonly isOpen?: boolean;
  readonly parameters: readonly DocumentedParameter[];
  readonly body?: Sample;
  readonly answer: Sample & {
    readonly status: number;
    readonly description: string;
    /** application/json if left out. */
    readonly contentType?: string;
  };
  readonly problems: readonly DocumentedProblem[];
};

/** Without a schema there is no content. */
export type Sample = { readonly schema?: JsonSchema; readonly example?: unknown };

export type DocumentedParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema: JsonSchema;
};
