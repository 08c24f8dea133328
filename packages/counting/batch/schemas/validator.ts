import { Ajv, type Options } from 'ajv';
import { parseTimestamp } from '../timestamps.ts';

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
