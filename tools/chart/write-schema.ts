import { writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { createValuesSchema } from './values-schema.ts';

/** Writes the schema of the values of the chart. A test compares both. */
const path = 'infra/helm/flagmeter/values.schema.json';
await writeFile(
  path,
  await format(JSON.stringify(createValuesSchema()), { filepath: path, printWidth: 110 }),
);
