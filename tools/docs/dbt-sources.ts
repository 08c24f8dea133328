import { stringify } from 'yaml';
import type { DictionaryView } from './dictionary.ts';

/** Maximum age in hours of the newest data of a view, and the expression for its time. */
const FRESHNESS: Readonly<
  Record<string, { readonly field: string; readonly warn: number; readonly error: number }>
> = {
  usage_by_hour: { field: 'hour', warn: 2, error: 6 },
  variants_by_hour: { field: 'hour', warn: 2, error: 6 },
  usage_by_day: { field: 'toDateTime(day)', warn: 26, error: 48 },
  variants_by_day: { field: 'toDateTime(day)', warn: 26, error: 48 },
};

/** Whether dbt can name a view as a source. It cannot give arguments. */
export function isSource({ hasParameters }: DictionaryView): boolean {
  return !hasParameters;
}

/** The views as dbt sources, with their descriptions. */
export function dbtSources(views: readonly DictionaryView[]): string {
  const tables = views.filter(isSource).map(({ name, comment, columns }) => ({
    name,
    description: comment,
    ...freshnessOf(name),
    columns: columns.map((column) => ({
      name: column.name,
      description: column.comment,
      data_type: column.type,
    })),
  }));
  const source = { name: 'flagmeter', schema: 'flagmeter', description: 'Usage of feature flags', tables };
  const head = '# Written by `make dictionary` from the migrations of ClickHouse.\n';
  return head + stringify({ version: 2, sources: [source] }, { lineWidth: 0, compat: 'yaml-1.1' });
}

function freshnessOf(name: string) {
  const freshness = FRESHNESS[name];
  if (freshness === undefined) return {};
  const { field, warn, error } = freshness;
  const after = (count: number) => ({ count, period: 'hour' });
  return { loaded_at_field: field, freshness: { warn_after: after(warn), error_after: after(error) } };
}
