const EXTREME = /^(min|max)\((\w+)\) (==|>) ([\d.]+)$/;

/**
 * Whether the expression of an alert is true for the lines of some scrapes. Supports only the minimum and the maximum
 * of a metric.
 */
export function holds(expression: string, lines: readonly string[]): boolean {
  const [, extreme, metric = '', comparison, limit] = EXTREME.exec(expression) ?? [];
  if (extreme === undefined) throw new Error(`not understood: ${expression}`);
  const values = lines
    .filter((line) => line.startsWith(`${metric} `) || line.startsWith(`${metric}{`))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
  if (values.length === 0) return false;
  const value = extreme === 'min' ? Math.min(...values) : Math.max(...values);
  return comparison === '==' ? value === Number(limit) : value > Number(limit);
}
