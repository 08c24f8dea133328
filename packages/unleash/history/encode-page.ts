import { displayableName } from '#base/schema';
import { CountsEncoder, type Metric, type Refusal, aggregateBatch, refusedOf } from '#core/counting';
import type { HistoryRow } from './source/source-rows.ts';

export type HistoryMessage = {
  readonly value: Buffer;
  /** Rows of Unleash. */
  readonly received: number;
  readonly refusals: readonly Refusal[];
};

export type PageEnvelope = {
  readonly batchId: string;
  /** When the import began, epoch milliseconds. */
  readonly receivedAt: number;
  readonly maxVariants: number;
};

/** Stands for the token in refusals. */
const TOKEN_ID = 'unleash-history';

/**
 * The message of one page of rows, in the format of the counts topic. A row that cannot be counted becomes a refusal with its
 * reason. Rows of a day get the first hour of their day.
 */
export function encodePage(rows: readonly HistoryRow[], envelope: PageEnvelope): HistoryMessage {
  const { batchId, receivedAt, maxVariants } = envelope;
  const metrics: Metric[] = [];
  const invalid: Refusal[] = [];
  for (const row of rows) {
    const metric = metricOf(row);
    if (metric === undefined) invalid.push(refusalOf(row));
    else metrics.push(metric);
  }
  const { sums, refusals: others } = aggregateBatch(
    { metrics, applications: [] },
    // The plan has chosen the times of the rows.
    {
      receivedAt,
      allowedEnvironment: '*',
      limits: { maxAgeMs: Infinity, maxFutureMs: Infinity, maxVariants },
    },
  );
  const refusals = [...others, ...invalid];
  const received = rows.length;
  const head = { batchId, receivedAt, tokenId: TOKEN_ID, traceparent: undefined, received };
  return { value: new CountsEncoder().encode(head, sums, refusals), received, refusals };
}

/** The metrics of a message that are counted. */
export function countedOf({ received, refusals }: HistoryMessage): number {
  return received - refusedOf(refusals, 'metric');
}

/** Undefined if a count is not a count. */
function metricOf(row: HistoryRow): Metric | undefined {
  const [yes, no] = [countOf(row.yes), countOf(row.no)];
  const variants = row.variants.map(([name, count]) => [name, countOf(count)] as const);
  if (yes === undefined || no === undefined) return undefined;
  if (variants.some(([, count]) => count === undefined)) return undefined;
  return {
    featureName: row.feature_name,
    appName: row.app_name,
    environment: row.environment,
    timestamp: new Date(Number(row.at_ms)).toISOString(),
    yes,
    no,
    variants: Object.fromEntries(variants.map(([name, count]) => [name, count ?? 0])),
  };
}

function countOf(text: string | null): number | undefined {
  const count = Number(text ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

function refusalOf(row: HistoryRow): Refusal {
  const counts: (readonly [string, string | null])[] = [['yes', row.yes], ['no', row.no], ...row.variants];
  const [name, count] = counts.find(([, text]) => countOf(text) === undefined) ?? ['', ''];
  return {
    kind: 'metric',
    reason: 'invalid_count',
    featureName: displayableName(row.feature_name),
    appName: displayableName(row.app_name),
    environment: displayableName(row.environment),
    metrics: 1,
    sample: displayableName(`${count ?? ''} (${name.slice(0, 64)})`),
  };
}
