import {
  rollUpRelays,
  syncCodeReferences,
  syncFeatures,
  syncInstances,
  syncProjectsAndEnvironments,
} from '#fleet/catalogue';
import { type ClickHouse, refreshVerdicts } from '#core/clickhouse';
import { openPostgres } from '#base/postgres';
import { type Config, createLog } from '#base/runtime';
import { generateReceived } from './received.ts';
import type { RollUps } from './roll-ups.ts';

/** One evaluated name in twenty is unknown, which makes as many unknown flags as the admin API reports at most. */
const KNOWN = 'number % 20 <> 7';

/** Features of all types in five projects. The cookbook names some of them. One in fifty is archived. */
const FEATURES = `
  with projects_added as (
    insert into projects (id, name)
    select id, initcap(id)
    from unnest(array['payments', 'search', 'platform', 'checkout']) as id
    returning id
  )
  insert into features (name, project, type, created_at, archived_at)
  select
    'feature-' || lpad(number::text, 5, '0'),
    (array['payments', 'search', 'platform', 'checkout', 'default'])[1 + number % 5],
    (array['release', 'experiment', 'operational', 'kill-switch'])[1 + number % 4],
    now() - number % 200 * interval '1 day',
    case when number % 50 = 49 then now() - interval '10 days' end
  from generate_series(0, $1::int - 1) as number
  where ${KNOWN}
    and (select count(*) from projects_added) > 0`;

/** On in nine of ten places, for half of the contexts. Every tenth feature has two variants, as in the generated counts. */
const CONFIGURATIONS = `
  insert into feature_environments (feature_name, environment, enabled, strategies, variants, changed_at)
  select
    f.name,
    e.name,
    hashtext(f.name || e.name) % 10 <> 0,
    '[{"name": "flexibleRollout", "parameters": {"rollout": "50"}}]',
    case when f.name like '%0' then '[{"name": "blue", "weight": 500}, {"name": "red", "weight": 500}]'::jsonb else '[]' end,
    now() - interval '60 days'
  from features as f
  cross join environments as e`;

const APPLICATIONS = `
  insert into client_applications (app_name, seen_at, created_by)
  select 'app-' || lpad(number::text, 3, '0'), now(), 'bench'
  from generate_series(0, $1::int - 1) as number
  on conflict do nothing`;

/** Twenty instances for each application and environment. Some are silent, some run an older version. */
const INSTANCES = `
  insert into client_instances (app_name, environment, instance_id, sdk_version, interval_ms, last_seen)
  select
    'app-' || lpad(app::text, 3, '0'),
    environment,
    'instance-' || number,
    'unleash-client-node:6.' || number % 3 || '.0',
    15000,
    now() - case when number = 7 then interval '3 hours' else interval '0' end
  from generate_series(0, $1::int - 1) as app
  cross join unnest($2::text[]) as environment
  cross join generate_series(1, 20) as number
  on conflict do nothing`;

/** Ten repositories, each with a tenth of the features in ten places. */
const CODE = `
  with pushed as (
    insert into code_repositories (name, branch, commit, committed_at, pushed_by, left_out)
    select 'repository-' || number, 'main', 'commit', now(), 'bench', 0
    from generate_series(0, 9) as number
    returning id, right(name, 1) as digit
  )
  insert into code_references (repository_id, feature_name, path, line, kind)
  select p.id, f.name, 'src/' || f.name || '.ts', line, case line % 2 when 0 then 'call' else 'mention' end
  from pushed as p
  join features as f on right(f.name, 1) = p.digit
  cross join generate_series(1, 10) as line`;

/** Features, instances, refusals, blocks and reports of relays for the generated counts. Verdicts and recipes join with them. */
export async function generateCatalogue(
  { postgres }: Config,
  clickhouse: ClickHouse,
  { features, apps, environments, days }: RollUps,
): Promise<void> {
  const db = openPostgres({ ...postgres, maxConnections: 1, log: createLog('bench', 'error') });
  try {
    await db.query(`insert into environments (name, type) values ('staging', 'test') on conflict do nothing`);
    await db.query(FEATURES, [features]);
    await db.query(CONFIGURATIONS);
    await db.query(APPLICATIONS, [apps]);
    await db.query(INSTANCES, [apps, environments]);
    await syncProjectsAndEnvironments(db, clickhouse);
    await db.query(CODE);
    await syncFeatures(db, clickhouse);
    await syncCodeReferences(db, clickhouse);
    await syncInstances(db, clickhouse);
  } finally {
    await db.end();
  }
  await generateReceived(clickhouse, { apps, days, secondsPerBlock: 6, messagesPerBlock: 10 });
  await rollUpRelays(clickhouse);
  await refreshVerdicts(clickhouse);
}
