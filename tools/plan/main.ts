// `make plan`: writes the tables of docs/develop/scale.md.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { withTables } from './tables.ts';

const file = path.resolve(import.meta.dirname, '../../docs/develop/scale.md');
await writeFile(file, withTables(await readFile(file, 'utf8')));
