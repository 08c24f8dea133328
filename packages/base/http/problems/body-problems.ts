/** Why a body, or the request that carries it, is not accepted. These are labels of a metric, and keys of stored sums. */
export const BODY_PROBLEMS = [
  'content_type',
  'charset',
  'content_encoding',
  'incomplete',
  'undecodable',
  'too_large',
  'too_many_names',
  'empty',
  'not_utf8',
  'byte_order_mark',
  'not_json',
  'schema',
  'invalid',
  'no_token',
  'unknown_token',
  'wrong_token_type',
  'rate_limit',
] as const;

export type BodyProblem = (typeof BODY_PROBLEMS)[number];

/** What an answer means whose thrower names no problem. Other answers do not reject a body. */
const BY_STATUS: Readonly<Record<number, BodyProblem>> = {
  400: 'invalid',
  401: 'unknown_token',
  403: 'wrong_token_type',
  413: 'too_large',
  415: 'content_type',
  429: 'rate_limit',
};

type Answer = { readonly status: number; readonly bodyProblem: BodyProblem | undefined };

/** Why this answer rejects the body of its request; undefined if it says nothing about the body or its sender. */
export function bodyProblemOf({ bodyProblem, status }: Answer): BodyProblem | undefined {
  return bodyProblem ?? BY_STATUS[status];
}
