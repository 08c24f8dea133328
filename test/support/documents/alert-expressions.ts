/** The lines of a scrape before and after something happened. */
export type Scrapes = { readonly before?: readonly string[]; readonly after: readonly string[] };

const COMPARISON = /^(.*) (==|>) (.*)$/;
const FACTOR = /^([\d.]+) \* (.*)$/;
const AGGREGATE =
  /^(sum|min|max)(?: by \((\w+)\))? ?\((?:(rate|increase)\()?(\w+)(?:\{(.*)\})?(?:\[\w+\]\))?\)$/;

/**
 * Whether the expression of an alert is true after `after`. Supports comparisons of a sum, minimum or maximum, of a metric or
 * of its increase, with another or with a number. All increases are those between the two scrapes.
 */
export function holds(expression: string, scrapes: Scrapes): boolean {
  const [, left, operator, right] = COMPARISON.exec(expression) ?? [];
  if (left === undefined || right === undefined) throw new Error(`not understood: ${expression}`);
  const limit = Math.max(...valuesOf(right, scrapes));
  return valuesOf(left, scrapes).some((value) => (operator === '>' ? value > limit : value === limit));
}

/** One value for each group. */
function valuesOf(term: string, scrapes: Scrapes): number[] {
  if (/^[\d.]+$/.test(term)) return [Number(term)];
  const [, factor, multiplied = ''] = FACTOR.exec(term) ?? [];
  if (factor !== undefined) return valuesOf(multiplied, scrapes).map((value) => Number(factor) * value);
  const [, aggregation, label, change, metric = '', selection = ''] = AGGREGATE.exec(term) ?? [];
  if (aggregation === undefined) throw new Error(`not understood: ${term}`);
  const series = seriesOf(scrapes.after, metric, selection);
  const before = new Map(change === undefined ? [] : seriesOf(scrapes.before ?? [], metric, selection));
  // Prometheus sees no increase of a series that it has not seen before.
  const changes = series.filter(([labels]) => change === undefined || before.has(labels));
  const groups = new Map<string, number[]>();
  for (const [labels, value] of changes) {
    const group = label === undefined ? '' : labelOf(labels, label);
    groups.set(group, [...(groups.get(group) ?? []), value - (before.get(labels) ?? 0)]);
  }
  return [...groups.values()].map((values) => {
    if (aggregation === 'sum') return values.reduce((sum, value) => sum + value, 0);
    return aggregation === 'min' ? Math.min(...values) : Math.max(...values);
  });
}

function seriesOf(
  lines: readonly string[],
  metric: string,
  selection: string,
): (readonly [string, number])[] {
  const matchers = Array.from(selection.matchAll(/(\w+)(=|!~)"([^"]*)"/g));
  return lines
    .filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
    .map((line): readonly [string, number] => {
      const space = line.lastIndexOf(' ');
      return [line.slice(metric.length, space), Number(line.slice(space + 1))];
    })
    .filter(([labels]) =>
      matchers.every(([, label = '', operator, pattern = '']) => {
        const value = labelOf(labels, label);
        return operator === '=' ? value === pattern : !new RegExp(`^(${pattern})$`).test(value);
      }),
    );
}

function labelOf(labels: string, label: string): string {
  return new RegExp(`\\b${label}="([^"]*)"`).exec(labels)?.[1] ?? '';
}
