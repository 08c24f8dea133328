import type { Content } from '../../clickhouse/content.ts';
import { type Measured, problemOfTotals, samplesIn } from '../../samples.ts';
import type { World } from '../../world.ts';
import { type Expected, judgeOnce } from '../expected.ts';

const TABLES = ['impact_hourly', 'impact_daily'];

/** Samples of acknowledged bodies are in the sum of their series once, and refused ones are in the refusals once. */
export function* judgeSamples(
  { measured }: World,
  content: Content,
  expected: ReadonlyMap<string, Expected>,
): Generator<string> {
  for (const sample of measured.values()) {
    const { id, kind } = sample;
    const once = expected.get(id);
    if (once === undefined) continue;
    if (kind === 'refused')
      yield* judgeOnce(
        `refusals_daily has ${id}`,
        content.evaluations.get(`refusals_daily ${id}`) ?? 0,
        once,
      );
    else
      for (const table of TABLES)
        yield* judgeOnce(`${table} has ${id}`, timesStored(content, table, sample), once);
  }
  for (const { kind, name } of measured.values())
    for (const table of kind === 'counter' || kind === 'histogram' ? TABLES : []) {
      const totals = content.totals.get(`${table} ${name}`);
      const problem = totals && problemOfTotals(kind, name, totals);
      if (problem !== undefined) yield `torn: ${table} has ${name} with ${problem}`;
    }
  for (const table of TABLES) yield* judgeMarkers(content, table);
}

/** How often a table has a sample. Gauges are not added up: their table has them once or not at all. */
export function timesStored(
  { totals, gauges }: Content,
  table: string,
  { id, name, kind }: Measured,
): number {
  if (kind === 'gauge') return gauges.has(name) ? 1 : 0;
  const total = totals.get(`${table} ${name}`)?.total ?? 0n;
  return [...samplesIn(name, total)].find(([found]) => found === id)?.[1] ?? 0;
}

/** The markers of blocks add up what the series add up. */
function* judgeMarkers({ totals }: Content, table: string): Generator<string> {
  let [total, observations] = [0n, 0n];
  for (const [key, sums] of totals) {
    if (!key.startsWith(`${table} `)) continue;
    const sign = key === `${table} ` ? -1n : 1n;
    total += sign * sums.total;
    observations += sign * sums.observations;
  }
  if (total !== 0n || observations !== 0n)
    yield `${table}: series and markers differ by ${total} billionths and ${observations} observations`;
}
