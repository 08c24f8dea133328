import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

type Target = { readonly rawSql?: string; readonly expr?: string };
type Dashboard = {
  readonly panels: readonly { readonly title: string; readonly targets: readonly Target[] }[];
  readonly annotations?: { readonly list: readonly { readonly name: string; readonly target: Target }[] };
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: string }[] };
};

/** A query, and the panel, variable, annotation or alert rule that uses it. */
export type DashboardQuery = { readonly title: string; readonly query: string };

export function analystQueries(dashboard: 'usage' | 'clean-up'): DashboardQuery[] {
  return queriesInFile(fileOf(dashboard));
}

/** The queries in the file of a ClickHouse dashboard, including those of its variables and annotations. */
export function queriesInFile(file: string): DashboardQuery[] {
  const { panels, templating, annotations } = readDashboard(file);
  const notes = (annotations?.list ?? []).map(({ name, target }) => ({ title: name, targets: [target] }));
  return [
    ...templating.list.map(({ name, query }) => ({ title: `variable ${name}`, query })),
    ...queriesOf([...panels, ...notes], ({ rawSql }) => rawSql),
  ];
}

/** The queries of the Prometheus dashboard and of the alert rules. */
export function healthQueries(): DashboardQuery[] {
  const rules = parse(readFileSync('infra/prometheus/alerts.yml', 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  return [
    ...queriesOf(readDashboard(fileOf('health')).panels, ({ expr }) => expr),
    ...rules.groups.flatMap((group) => group.rules.map(({ alert, expr }) => ({ title: alert, query: expr }))),
  ];
}

function fileOf(dashboard: string): string {
  return `infra/grafana/dashboards/${dashboard}.json`;
}

function readDashboard(file: string): Dashboard {
  return JSON.parse(readFileSync(file, 'utf8')) as Dashboard;
}

function queriesOf(
  panels: Dashboard['panels'],
  ask: (target: Target) => string | undefined,
): DashboardQuery[] {
  return panels.flatMap(({ title, targets }) =>
    targets.map((target) => {
      const query = ask(target);
      if (query === undefined) throw new Error(`${title} queries another data source`);
      return { title, query };
    }),
  );
}

/** Metrics in a PromQL expression, with the labels that it selects or groups by. */
export type Selector = {
  readonly metric: string;
  readonly labels: readonly string[];
  readonly values: readonly (readonly [string, string])[];
};

/** A metric with its selectors and, directly inside an aggregation, its grouping labels. */
const METRIC =
  /(?:by \(([^)]*)\) \((?:\w+\()*)?\b((?:flagmeter_|process_|nodejs_|ClickHouse)\w+)(?:\{([^}]*)\})?/g;
/** Labels that Prometheus itself or the buckets of a histogram add. */
const GIVEN = ['instance', 'job', 'le'];

export function selectorsOf(query: string): Selector[] {
  return Array.from(query.matchAll(METRIC), ([, grouped = '', metric = '', selection = '']) => {
    const values = Array.from(selection.matchAll(/(\w+)="([^"]*)"/g), ([, label = '', value = '']) => {
      return [label, value] as const;
    }).filter(([label]) => !GIVEN.includes(label));
    const labels = [...grouped.split(/, */), ...values.map(([label]) => label)];
    return { metric, labels: labels.filter((label) => label !== '' && !GIVEN.includes(label)), values };
  });
}
