import { Ajv2020 } from 'ajv/dist/2020.js';
import composeSpec from './compose-spec.json' with { type: 'json' };

/** Throws with the problems of a Compose file, by the schema of the specification. */
export function checkCompose(value: unknown, file: string): void {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const isCompose = ajv.compile(composeSpec);
  if (!isCompose(value)) throw new Error(ajv.errorsText(isCompose.errors, { dataVar: file }));
}
