import type { ClickHouse } from '#core/clickhouse';
import type { MetricsQuery } from './schema.ts';
import { type ArmsFilter, readArms } from './store/arms.ts';
import { type LinesFilter, readLines } from './store/lines.ts';
import { readMetrics } from './store/metrics.ts';

export type ImpactStore = ReturnType<typeof createImpact>;

/** Reads impact metrics, and what they say about the arms of features. */
export function createImpact(db: ClickHouse) {
  return {
    metrics: (query: MetricsQuery) => readMetrics(db, query),
    arms: (filter: ArmsFilter) => readArms(db, filter),
    lines: (filter: LinesFilter) => readLines(db, filter),
  };
}
