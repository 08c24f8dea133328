import { type ClickHouse, readUsage } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import type { Visible } from '#base/tokens';
import type { Verdict } from '../../advice/verdicts/thresholds.ts';
import type {
  ApplicationsQuery,
  ChangeRequestsQuery,
  EvaluatedFeaturesQuery,
  EventsQuery,
  FeaturesQuery,
  UnknownFlagsQuery,
} from './schemas.ts';
import { applicationListing, applicationsThat } from './store/applications.ts';
import { changeRequestListing, changeRequestsThat } from './store/change-requests.ts';
import { readEvaluatedFeatures } from './store/evaluated-features.ts';
import { eventListing, eventsThat } from './store/events.ts';
import { featureList } from './store/features.ts';
import { type Seen, readPage } from './store/page.ts';
import { readUnknownFlags } from './store/unknown-flags.ts';

export type Search = ReturnType<typeof createSearch>;

/** Reads lists in pages. */
export function createSearch(db: Postgres, clickhouse: ClickHouse) {
  return {
    /** `names` limits the features, unless it is undefined. */
    features(
      query: FeaturesQuery,
      { names, ...seen }: Seen & { readonly names: readonly string[] | undefined },
    ) {
      const { listing, conditions } = featureList({ ...query, names }, seen);
      return readPage(db, listing, { query, conditions });
    },
    events: (query: EventsQuery, visible: Visible) =>
      readPage(db, eventListing, { query, conditions: eventsThat(query, visible) }),
    changeRequests: (query: ChangeRequestsQuery, seen: Seen) =>
      readPage(db, changeRequestListing, { query, conditions: changeRequestsThat(query, seen) }),
    applications: (query: ApplicationsQuery) =>
      readPage(db, applicationListing, { query, conditions: applicationsThat(query) }),
    unknownFlags: (query: UnknownFlagsQuery) => readUnknownFlags(db, clickhouse, query),
    evaluatedFeatures: (query: EvaluatedFeaturesQuery, visible: Visible) =>
      readEvaluatedFeatures(clickhouse, { query, visible }),

    async featuresWith(verdict: Verdict): Promise<string[]> {
      const rows = await readUsage<{ feature_name: string }>(
        clickhouse,
        'select distinct feature_name from feature_verdicts where verdict = {verdict:String}',
        { verdict },
      );
      return rows.map(({ feature_name }) => feature_name);
    },
  };
}
