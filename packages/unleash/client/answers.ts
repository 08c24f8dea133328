import type { UnleashAnswer } from './client.ts';
import { isObject } from './token-fields.ts';
import { UnleashError } from './unleash-error.ts';

/** Throws `unleash-status` unless the answer has this status. */
export function expectStatus({ status }: UnleashAnswer, expected: number): void {
  if (status !== expected)
    throw new UnleashError('unleash-status', `Unleash answered ${status} and not ${expected}.`, { status });
}

/** The JSON of a 200; throws for any other answer. Its content is unknown until a guard has passed. */
export function jsonOf(answer: UnleashAnswer): unknown {
  expectStatus(answer, 200);
  try {
    return JSON.parse(answer.body.toString('utf8'));
  } catch {
    // Without the cause, because its message quotes the answer.
    throw new UnleashError('unleash-answer', 'Unleash answered something that is no JSON.');
  }
}

/** The error in an answer of Unleash. It has neither member if something else answered, such as a proxy. */
export function errorOf({ body }: UnleashAnswer): { readonly name?: string; readonly message?: string } {
  try {
    const json: unknown = JSON.parse(body.toString('utf8'));
    const { name, message } = isObject(json) ? json : {};
    return {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof message === 'string' ? { message } : {}),
    };
  } catch {
    return {};
  }
}
