import { type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Path, pathTo } from '../../../state/paths/path.ts';
import { type RowUsage, usageIn } from './row-usage.ts';
import type { TimeWindow } from '../../../state/time/window.ts';
import type { Api } from '../../../api/requests/client.ts';
import type { UsageSeriesAnswer } from '../../../types.ts';

/** The usage of the features whose rows are in the document. */
export type RowUsages = {
  /** Undefined until it is known. */
  readonly of: (feature: string) => ReadonlySignal<RowUsage | undefined>;
  /** Reads the usage of a feature, and again from time to time, until the returned function is called. */
  readonly want: (feature: string) => () => void;
  readonly stop: () => void;
};

/** Rows that are scrolled past meanwhile are never asked for. */
const GATHER_MS = 120;
const FRESH_MS = 60_000;
const RETRY_MS = 5000;
/** What one request may carry; a URL has about 8,000 characters. */
const MAX_FEATURES = 50;
const MAX_QUERY = 6000;

type Row = { readonly usage: Signal<RowUsage | undefined>; readAt: number };

export function createRowUsages(api: Api, timeWindow: TimeWindow): RowUsages {
  const rows = new Map<string, Row>();
  const wanted = new Set<string>();
  const stop = new AbortController();
  let timer: number | undefined;
  let isReading = false;

  const rowOf = (feature: string): Row => {
    const row = rows.get(feature) ?? { usage: signal<RowUsage | undefined>(undefined), readAt: -Infinity };
    rows.set(feature, row);
    return row;
  };
  const plan = (pauseMs: number): void => {
    window.clearTimeout(timer);
    // oxlint-disable-next-line typescript/no-misused-promises -- problems are answers, so it never rejects
    timer = window.setTimeout(readNext, pauseMs);
  };
  const readNext = async (): Promise<void> => {
    const staleBefore = performance.now() - FRESH_MS;
    const features = fitting([...wanted].filter((feature) => rowOf(feature).readAt < staleBefore));
    if (features.length === 0 || document.hidden) {
      plan(FRESH_MS);
      return;
    }
    isReading = true;
    const answer = await api.get<UsageSeriesAnswer>(pathOf(features, timeWindow), stop.signal);
    isReading = false;
    if (stop.signal.aborted) return;
    if (answer.problem === undefined)
      for (const feature of features) {
        const row = rowOf(feature);
        row.readAt = performance.now();
        row.usage.value = usageIn(answer.body, feature);
      }
    plan(answer.problem === undefined ? 0 : answer.problem.isTemporary ? RETRY_MS : FRESH_MS);
  };
  return {
    of: (feature) => rowOf(feature).usage,
    want(feature) {
      wanted.add(feature);
      if (!isReading && rowOf(feature).readAt === -Infinity) plan(GATHER_MS);
      return () => wanted.delete(feature);
    },
    stop() {
      stop.abort();
      window.clearTimeout(timer);
    },
  };
}

/** As many as fit into one request. */
function fitting(features: readonly string[]): string[] {
  let length = 0;
  const firstTooMany = features.findIndex((feature, at) => {
    length += encodeURIComponent(feature).length + '&feature='.length;
    return at >= MAX_FEATURES || (at > 0 && length > MAX_QUERY);
  });
  return features.slice(0, firstTooMany < 0 ? undefined : firstTooMany);
}

const HOUR_MS = 3_600_000;

/** The buckets of a sparkline: 24 hours, up to 90 days, or months. */
function pathOf(features: readonly string[], { hours }: TimeWindow): Path {
  const interval = hours <= 24 ? 'hour' : hours <= 90 * 24 ? 'day' : 'month';
  const bucketMs = interval === 'hour' ? HOUR_MS : 24 * HOUR_MS;
  const query = new URLSearchParams({
    interval,
    groupBy: 'environment',
    from: new Date(Date.now() - hours * HOUR_MS + bucketMs).toISOString(),
  });
  for (const feature of features) query.append('feature', feature);
  return pathTo`api/admin/metrics/usage?${query}`;
}
