import { type ComparedAccounting, sumTallies } from '#core/accounting';
import { type ClickHouse, readRows } from '#core/clickhouse';
import type { Tally } from '#core/counting';
import { type Expectation, type Figures, type ViewName, add, viewQueries } from './expectation.ts';

export type StoredViews = Readonly<Record<ViewName, Figures>>;

export async function readViews(db: ClickHouse): Promise<StoredViews> {
  const read = async (view: ViewName): Promise<Figures> => {
    const rows = await readRows<{ key: string[]; figures: string[] }>(db, viewQueries[view]);
    const sums = new Map<string, number[]>();
    for (const { key, figures } of rows) add(sums, key, figures.map(Number));
    return sums;
  };
  const [usageByHour, usageByDay, variantsByHour, variantsByDay, impactByHour, refusals] = await Promise.all([
    read('usage_by_hour'),
    read('usage_by_day'),
    read('variants_by_hour'),
    read('variants_by_day'),
    read('impact_by_hour'),
    read('refusals'),
  ]);
  return {
    usage_by_hour: usageByHour,
    usage_by_day: usageByDay,
    variants_by_hour: variantsByHour,
    variants_by_day: variantsByDay,
    impact_by_hour: impactByHour,
    refusals,
  };
}

export type Sent = {
  readonly expected: Expectation;
  /** Metrics that certainly arrived twice, and metrics of requests without an answer, which may have arrived. */
  readonly sentTwice: number;
  readonly maybeSentTwice: number;
};

/** Each difference between sent and stored numbers, one per line; empty if every number agrees. */
export function findDisagreements(sent: Sent, stored: StoredViews, compared: ComparedAccounting): string[] {
  const { expected } = sent;
  const views = Object.entries(expected.views).flatMap(([view, figures]) =>
    // Each entry of the record is a view.
    compareFigures(view, figures, stored[view as ViewName]),
  );
  const tally = sumTallies(compared.accounting.partitions);
  const ofAccounting = compared.differences.map(({ subject, text }) => `${subject}: ${text}`);
  return [...views, ...compareTally(sent, tally), ...ofAccounting];
}

function compareFigures(view: string, expected: Figures, stored: Figures): string[] {
  const keys = new Set([...expected.keys(), ...stored.keys()]);
  return [...keys].flatMap((key) => {
    const [sent, found] = [
      expected.get(key)?.join('/') ?? 'nothing',
      stored.get(key)?.join('/') ?? 'nothing',
    ];
    return sent === found ? [] : `${view} ${key.slice(0, 200)}: sent ${sent}, stored ${found}`;
  });
}

function compareTally({ expected, sentTwice, maybeSentTwice }: Sent, tally: Tally): string[] {
  const texts = [];
  if (tally.counted !== expected.counted) texts.push(`counted ${tally.counted}, not ${expected.counted}`);
  if (tally.refused !== expected.refused) texts.push(`refused ${tally.refused}, not ${expected.refused}`);
  if (tally.dead !== 0) texts.push(`dead ${tally.dead}, not 0`);
  const { duplicate } = tally;
  if (duplicate < sentTwice || duplicate > sentTwice + maybeSentTwice) {
    texts.push(`duplicate ${duplicate}, not ${sentTwice}`);
  }
  return texts;
}
