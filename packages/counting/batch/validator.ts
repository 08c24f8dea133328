import { Ajv, type Options } from 'ajv';
import { parseTimestamp } from './timestamps.ts';

/** A validator as every part uses it. It is `verbose`, so that `problemsOf` can report the type of a value. */
export function createAjv(options: Options = {}): Ajv {
  const ajv = new Ajv({
    allowUnionTypes: true,
    strictTypes: false,
    validateSchema: false, // each start would pay for what a test knows
    verbose: true,
    ...options,
  });
  ajv.addFormat('timestamp', { type: 'string', validate: (text) => parseTimestamp(text) !== undefined });
  return ajv;
}
