import type { JsonSchema } from '#contract';
import type { ProblemStatus } from '#http';
import type { Tag } from './tags.ts';

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
  readonly problems: readonly ProblemStatus[];
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
