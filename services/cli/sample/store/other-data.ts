import { type ClickHouse, readRows } from '#core/clickhouse';
import { SAMPLE_APPS } from '../shop/applications.ts';
import { SAMPLE_PROJECTS, featureNames } from '../shop/features.ts';
import type { SampleStores } from './stored-sample.ts';

/** What is stored beside the sample. */
export type OtherData = {
  readonly features: number;
  /** Applications that evaluated features or were registered. */
  readonly applications: number;
  /** Names of the sample that exist, which matters before it is made. */
  readonly takenNames: readonly string[];
};

export async function readOtherData({ db, shards }: SampleStores): Promise<OtherData> {
  const names = [featureNames(), [...SAMPLE_APPS], SAMPLE_PROJECTS.map(({ id }) => id)] as const;
  const { rows } = await db.query<{ features: number; taken: string[] }>(
    `select
       (select count(*)::int from features where name <> all ($1)) as features,
       array(
         select name from features where name = any ($1)
         union all
         select app_name from client_applications where app_name = any ($2)
         union all
         select id from projects where id = any ($3)
       ) as taken`,
    [...names],
  );
  const registered = await db.query<{ app_name: string }>(
    'select app_name from client_applications where app_name <> all ($1) limit 1000',
    [SAMPLE_APPS],
  );
  const seen = (await Promise.all(shards.all.map(readSeen))).flat();
  const others = seen.flatMap(({ name, is_ours }) => (is_ours ? [] : name));
  return {
    features: rows[0]?.features ?? 0,
    applications: new Set([...others, ...registered.rows.map((row) => row.app_name)]).size,
    takenNames: [
      ...new Set([...(rows[0]?.taken ?? []), ...seen.flatMap(({ name, is_ours }) => (is_ours ? name : []))]),
    ],
  };
}

/** The names that one shard has counted. */
function readSeen(shard: ClickHouse): Promise<{ name: string; is_ours: boolean }[]> {
  return readRows(
    shard,
    `select app_name as name, toBool(app_name in {apps:Array(String)}) as is_ours
     from feature_app_seen_states
     group by app_name
     limit 1000
     union all
     select feature_name as name, true as is_ours
     from feature_app_seen_states
     where feature_name in {features:Array(String)}
     group by feature_name`,
    { apps: SAMPLE_APPS, features: featureNames() },
  );
}
