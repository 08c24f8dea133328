import { type ClickHouse, readUsage } from '#core/clickhouse';
import { REFUSAL_REASONS } from '#core/counting';
import { type Placed, firstPlaces } from '../../http/answers/first-places.ts';
import type { Refusals } from './schema.ts';

/** Absent filters match everything. Days are UTC, and both are included. */
export type RefusalFilter = {
  readonly reason: string | undefined;
  readonly tokenId: string | undefined;
  readonly environment: string | undefined;
  readonly appName: string | undefined;
  readonly featureName: string | undefined;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly limit: number;
};

type Row = Placed & {
  items: string;
  sum_of_reason: string;
  day: string;
  kind: string;
  reason: string;
  token_id: string;
  environment: string;
  app_name: string;
  feature_name: string;
  count: string;
  sample: string;
};

/** The SQL condition of each filter. These are constants, so that no part of a request becomes part of a query. */
const CONDITIONS: Readonly<Record<Exclude<keyof RefusalFilter, 'limit'>, string>> = {
  reason: 'reason = {reason:String}',
  tokenId: 'token_id = {tokenId:String}',
  environment: 'environment = {environment:String}',
  appName: 'app_name = {appName:String}',
  featureName: 'feature_name = {featureName:String}',
  from: 'r.day >= {from:Date}',
  to: 'r.day <= {to:Date}',
};

export type RefusalsStore = ReturnType<typeof createRefusals>;

/** Reads metrics that were received but not counted, from the public view. */
export function createRefusals(db: ClickHouse) {
  return {
    /**
     * Lists the latest days first, and within a day the most frequent refusals first. If there are more than the limit, each reason has the same
     * share of it.
     */
    async list(filter: RefusalFilter): Promise<Refusals> {
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const conditions = Object.entries(CONDITIONS).flatMap(([name, condition]) =>
        name in given ? [`and ${condition}`] : [],
      );
      const rows = await readUsage<Row>(
        db,
        `select *
         from (
           select
             toString(r.day) as day, kind, reason, token_id, environment, app_name, feature_name, count, sample,
             row_number() over (
               partition by reason
               order by r.day desc, count desc, kind, token_id, environment, app_name, feature_name
             ) as place,
             count() over (partition by reason) as items,
             sum(count) over (partition by reason) as sum_of_reason
           from refusals as r
           where true ${conditions.join(' ')}
           order by place, reason
           limit {rows:UInt32}
         )
         order by day desc, count desc, kind, reason, token_id, environment, app_name, feature_name`,
        { ...given, rows: Math.max(filter.limit, REFUSAL_REASONS.length) },
      );
      const totals = new Map(
        rows.map(({ reason, items, sum_of_reason: sum }) => [
          reason,
          { items: Number(items), count: Number(sum) },
        ]),
      );
      const listed = firstPlaces(rows, filter.limit);
      return {
        totals: [...totals].map(([reason, total]) => ({ reason, ...total })),
        refusals: rows
          .filter((row) => listed.has(row))
          .map(({ day, kind, reason, token_id, environment, app_name, feature_name, count, sample }) => ({
            day,
            kind,
            reason,
            environment,
            sample,
            tokenId: token_id,
            appName: app_name,
            featureName: feature_name,
            count: Number(count),
          })),
      };
    },
  };
}
