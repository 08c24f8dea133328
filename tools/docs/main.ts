import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { dbtExposures } from './dbt-exposures.ts';
import { dbtSources } from './dbt-sources.ts';
import { columnsOf, dictionaryOf, readViews } from './dictionary.ts';
import { settingsCsv } from './settings.ts';

const root = path.resolve(import.meta.dirname, '../..');
const views = await readViews();
await writeFile(path.join(root, 'docs/use/analysts/dictionary.md'), dictionaryOf(views));
await writeFile(path.join(root, 'docs/use/analysts/dictionary.csv'), columnsOf(views));
await writeFile(path.join(root, 'docs/operate/settings.csv'), settingsCsv());
const models = path.join(root, 'infra/dbt/models');
await writeFile(path.join(models, 'sources.yml'), dbtSources(views));
await writeFile(path.join(models, 'exposures.yml'), await dbtExposures(views));
