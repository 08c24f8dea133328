import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { parseTimestamp } from './timestamps.ts';

/** The settings of every validator. It is `verbose`, so that `problemsOf` can report the type of a value. */
export function createAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({
    allowUnionTypes: true,
    strictTypes: false,
    validateSchema: false, // a test checks the schemas, so a start need not
    verbose: true,
    ...options,
  });
  ajv.addFormat('timestamp', { type: 'string', validate: (text) => parseTimestamp(text) !== undefined });
  return ajv;
}

/** Whether a value is a T; if not, `errors` says why until the next call. */
export type Guard<T = unknown> = {
  (value: unknown): value is T;
  readonly errors?: readonly ErrorObject[] | null | undefined;
};

/** Compiles at the first call: a process calls few of its guards, and to compile all of them was a third of its start. */
export function lazyGuard<T>(compile: () => ValidateFunction<T>): Guard<T> {
  let compiled: ValidateFunction<T> | undefined;
  const guard = (value: unknown): value is T => (compiled ??= compile())(value);
  return Object.defineProperty(guard, 'errors', { get: () => compiled?.errors });
}
