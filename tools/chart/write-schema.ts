import { writeFile } from 'node:fs/promises';
import { format } from 'oxfmt';
import { createValuesSchema } from './values-schema.ts';

/** Writes the schema of the values of the chart. A test compares both. */
const path = 'infra/helm/flagmeter/values.schema.json';
const { code } = await format(path, JSON.stringify(createValuesSchema()), { printWidth: 110 });
await writeFile(path, code);
