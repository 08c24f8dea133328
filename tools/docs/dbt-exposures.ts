import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'yaml';
import { isSource } from './dbt-sources.ts';
import type { DictionaryView } from './dictionary.ts';

const DASHBOARDS = path.resolve(import.meta.dirname, '../../infra/grafana/dashboards');
const NAMES = ['usage', 'clean-up'];

type Dashboard = { readonly uid: string; readonly title: string };

/** The Grafana dashboards on ClickHouse as dbt exposures, with the views that their queries name. */
export async function dbtExposures(views: readonly DictionaryView[]): Promise<string> {
  const sources = views.filter(isSource).map(({ name }) => name);
  const exposures = await Promise.all(
    NAMES.map(async (name) => {
      const text = await readFile(path.join(DASHBOARDS, `${name}.json`), 'utf8');
      const { uid, title } = JSON.parse(text) as Dashboard;
      const queries = text.replaceAll('\\n', ' ');
      const named = new Set(Array.from(queries.matchAll(/\b(?:from|join) (\w+)/g), ([, view = '']) => view));
      return {
        name: uid.replaceAll('-', '_'),
        label: title,
        type: 'dashboard',
        description: `infra/grafana/dashboards/${name}.json`,
        owner: { name: 'flagmeter' },
        depends_on: sources.filter((view) => named.has(view)).map((view) => `source('flagmeter', '${view}')`),
      };
    }),
  );
  const head = '# Written by `make dictionary` from the dashboards of Grafana.\n';
  return head + stringify({ version: 2, exposures }, { lineWidth: 0 });
}
