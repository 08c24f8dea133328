import { type ClickHouse, readUsage } from '#core/clickhouse';
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

type Row = {
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
    /** Lists the latest days first, and within a day the most frequent refusals first. */
    async list(filter: RefusalFilter): Promise<Refusals> {
      const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
      const conditions = Object.entries(CONDITIONS).flatMap(([name, condition]) =>
        name in given ? [`and ${condition}`] : [],
      );
      const rows = await readUsage<Row>(
        db,
        `select toString(r.day) as day, kind, reason, token_id, environment, app_name, feature_name, count, sample
         from refusals as r
         where true ${conditions.join(' ')}
         order by r.day desc, count desc, kind, reason, token_id, environment, app_name, feature_name
         limit {limit:UInt32}`,
        given,
      );
      return {
        refusals: rows.map(({ token_id, app_name, feature_name, count, ...row }) => ({
          ...row,
          tokenId: token_id,
          appName: app_name,
          featureName: feature_name,
          count: Number(count),
        })),
      };
    },
  };
}
