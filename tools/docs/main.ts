import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dbtExposures } from './dbt-exposures.ts';
import { dbtSources } from './dbt-sources.ts';
import { readViews, withDictionary } from './dictionary.ts';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'docs/use/dictionary.md');
const views = await readViews();
await writeFile(file, withDictionary(await readFile(file, 'utf8'), views));
const models = path.join(root, 'infra/dbt/models');
await writeFile(path.join(models, 'sources.yml'), dbtSources(views));
await writeFile(path.join(models, 'exposures.yml'), await dbtExposures(views));
