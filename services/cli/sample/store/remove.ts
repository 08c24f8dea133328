import { syncFeatures } from '#fleet/catalogue';
import { type ClickHouse, readRows, refreshVerdicts } from '#core/clickhouse';
import { COMPARED_DAYS, FlagmeterError } from '#base/runtime';
import { SAMPLE_TOPIC } from '#core/counting';
import { type Postgres, inTransaction } from '#base/postgres';
import { SAMPLE_APPS } from '../shop/applications.ts';
import { SAMPLE_FEATURES, SAMPLE_PROJECTS, featureNames } from '../shop/features.ts';
import { SAMPLE_METRICS } from '../shop/impact.ts';
import { PEOPLE } from '../plan/people.ts';
import { SAMPLE_TOKEN } from '../plan/relay-reports.ts';
import { uidIn } from '../plan/uid.ts';
import type { SampleStores, StoredSample } from './stored-sample.ts';

/**
 * Removes the sample and nothing else. It may be repeated after an interruption. The order of effects:
 *
 *   1. Postgres    everything of the sample but its projects, in one transaction
 *   2. ClickHouse  evaluations and blocks; meanwhile the accounting differs. Then the verdicts
 *   3. Postgres    the projects, which show that there is a sample, and the environment
 */
export async function removeSample(
  { db, shards, clickhouse }: SampleStores,
  { madeAt }: StoredSample,
): Promise<void> {
  await failIfInUse(db);
  for (const shard of shards.all) await failIfOthersReported(shard);
  await removeFromProjects(db, madeAt);
  for (const shard of shards.all) await removeFrom(db, shard);
  await refreshVerdicts(clickhouse);
  await inTransaction(db, async (client) => {
    await client.query('delete from projects where id = any ($1)', [PROJECTS]);
    await client.query(REMOVE_ENVIRONMENT, [new Date(madeAt)]);
  });
}

async function removeFrom(db: Postgres, shard: ClickHouse): Promise<void> {
  await syncFeatures(db, shard);
  for (const [table, condition] of ROWS) await deleteRows(shard, table, condition);
}

const NAMES = SAMPLE_FEATURES.map(({ name }) => name);
const PROJECTS = SAMPLE_PROJECTS.map(({ id }) => id);
const PARAMS = {
  apps: SAMPLE_APPS,
  features: featureNames(),
  projects: PROJECTS,
  topic: SAMPLE_TOPIC,
  metrics: SAMPLE_METRICS.map(({ name }) => name),
  token: SAMPLE_TOKEN,
};

const OF_SAMPLE = `
  feature_name in {features:Array(String)} and app_name in {apps:Array(String)}
  or feature_name = '' and startsWith(app_name, concat({topic:String}, ':'))`;

const IMPACT_OF_SAMPLE = `
  metric_name in {metrics:Array(String)} and app_name in {apps:Array(String)}
  or metric_name = '' and startsWith(app_name, concat({topic:String}, ':'))`;

const ROWS = [
  ['usage_hourly', OF_SAMPLE],
  ['usage_daily', OF_SAMPLE],
  ['variants_hourly', OF_SAMPLE],
  ['variants_daily', OF_SAMPLE],
  ['impact_hourly', IMPACT_OF_SAMPLE],
  ['impact_daily', IMPACT_OF_SAMPLE],
  ['impact_metric_states', 'app_name in {apps:Array(String)}'],
  ['relay_reports', 'token_id = {token:String}'],
  ['relays_daily', 'token_id = {token:String}'],
  ['feature_app_seen_states', 'app_name in {apps:Array(String)}'],
  ['instance_copies', 'app_name in {apps:Array(String)}'],
  ['past_configuration_copies', 'feature_name in {features:Array(String)}'],
  ['change_request_copies', 'project in {projects:Array(String)}'],
  ['event_copies', 'project in {projects:Array(String)} or feature_name in {features:Array(String)}'],
  ['blocks', 'topic = {topic:String}'],
] as const;

/** Deletes rows at once, also from projections. Tables and conditions come only from the constants above. */
async function deleteRows(clickhouse: ClickHouse, table: string, condition: string): Promise<void> {
  await clickhouse.command({
    query: `alter table ${table} delete where ${condition}`,
    query_params: PARAMS,
    clickhouse_settings: { mutations_sync: '2', wait_end_of_query: 1 },
  });
}

/**
 * Throws if relays reported evaluations or samples in the name of applications of the sample. Without their rows the accounting would
 * differ, because their blocks stay. Evaluations of other features stay, so their application must stay too.
 */
async function failIfOthersReported(clickhouse: ClickHouse): Promise<void> {
  const [first] = await readRows<{ day: string }>(
    clickhouse,
    `select toString(the_day) as day
     from (
       select day as the_day, feature_name not in {features:Array(String)} as is_other, yes + no + unknown as rows, 0 as blocks
       from usage_daily
       where app_name in {apps:Array(String)}
       union all
       select day as the_day, metric_name not in {metrics:Array(String)} as is_other, samples as rows, 0 as blocks
       from impact_daily
       where app_name in {apps:Array(String)}
       union all
       select the_day, false as is_other, 0 as rows, of_day.1 + of_day.2 + of_day.3 as blocks
       from blocks
       array join days as the_day, arrayZip(day_yes, day_no, day_unknown) as of_day
       where topic = {topic:String}
       union all
       select the_day, false as is_other, 0 as rows, of_day as blocks
       from blocks
       array join impact_days as the_day, day_samples as of_day
       where topic = {topic:String}
     )
     group by the_day
     having max(is_other) or the_day > today() - ${COMPARED_DAYS} and sum(rows) > sum(blocks)
     order by the_day
     limit 1`,
    PARAMS,
  );
  if (first === undefined) return;
  const message = `nothing was removed: on ${first.day} relays reported evaluations or samples as an application of the sample, which cannot be removed without them`;
  throw new FlagmeterError('sample-in-use', message);
}

/** Throws if somebody added a feature to a project of the sample. */
async function failIfInUse(db: Postgres): Promise<void> {
  const { rows } = await db.query<{ name: string }>(
    'select name from features where project = any ($1) and name <> all ($2) order by name limit 1',
    [PROJECTS, NAMES],
  );
  const [other] = rows;
  if (other === undefined) return;
  const message = `nothing was removed: ${other.name} is in a project of the sample and not part of it`;
  throw new FlagmeterError('sample-in-use', message);
}

function removeFromProjects(db: Postgres, madeAt: number): Promise<void> {
  return inTransaction(db, async (client) => {
    await client.query(
      `delete from events
       where project = any ($1)
         or feature_name = any ($2)
         or type = 'application-created' and data->>'appName' = any ($3)`,
      [PROJECTS, NAMES, SAMPLE_APPS],
    );
    for (const table of ['change_requests', 'change_request_settings', 'features'])
      await client.query(`delete from ${table} where project = any ($1)`, [PROJECTS]);
    await client.query('delete from past_configurations where feature_name = any ($1)', [NAMES]);
    await client.query('delete from relays where token_id = $1', [SAMPLE_TOKEN]);
    await client.query('delete from client_applications where app_name = any ($1)', [SAMPLE_APPS]);
    await client.query('delete from users where uid = any ($1)', [PEOPLE.map((name) => uidIn(madeAt, name))]);
  });
}

/** The time shows that the sample added it. Once somebody else uses it, it stays. */
const REMOVE_ENVIRONMENT = `
  delete from environments as e
  where name = 'staging'
    and created_at = $1
    and not exists (select from feature_environments as f where f.environment = e.name)
    and not exists (select from change_requests as r where r.environment = e.name)
    and not exists (select from change_request_settings as s where s.environment = e.name)`;
