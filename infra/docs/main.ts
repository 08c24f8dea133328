import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readViews, withDictionary } from './dictionary.ts';

const file = path.resolve(import.meta.dirname, '../../docs/analysts.md');
await writeFile(file, withDictionary(await readFile(file, 'utf8'), await readViews()));
