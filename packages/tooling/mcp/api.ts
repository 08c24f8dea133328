/** A request of an operation of the admin API. */
export type ApiRequest = {
  /** The operationId in the OpenAPI document. */
  readonly operation: string;
  readonly method: string;
  /** With parameters in braces. */
  readonly path: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Sent as JSON; undefined if the operation has no body. */
  readonly body: unknown;
};

/** The parsed JSON of an answer. With a status of 400 or more it is the error body of the API. */
export type ApiAnswer = { readonly status: number; readonly body: unknown };

/** Rejects only if there is no answer. */
export type SendRequest = (request: ApiRequest, signal: AbortSignal) => Promise<ApiAnswer>;

/** The longest answer of the API that becomes the result of a tool, which shortens it further. */
export const MAX_ANSWER_BYTES = 256 * 1024;

/** Instead of a longer answer. */
export const TOO_LONG: ApiAnswer = {
  status: 413,
  body: { name: 'ContentTooLarge', message: 'The answer is too long. Ask for less.' },
};
