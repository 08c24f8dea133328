import { syncFeatures, syncInstances } from '#fleet/catalogue';
import { refreshVerdicts, runStatement } from '#core/clickhouse';
import { withEngines } from '#tooling/operations';
import { openPostgres } from '#base/postgres';
import type { World } from '../../support/world.ts';

/** The rows of each list: more than a page of any of them shows. */
export const LONG = 10_000;

/** What each kind of page is about. */
export const NAMES = {
  feature: 'flag-1',
  application: 'service-1',
  project: 'default',
  request: '1',
} as const;

/** What the lists of something belong to, by the parameter of an operation. */
export const PARAMETERS: Readonly<Record<string, string>> = {
  projectId: 'default',
  featureName: 'flag-1',
  toggleName: 'flag-1',
  environment: 'production',
  notificationId: '1',
  userId: '1',
};

/** On a busy machine, a statement on so many rows takes longer than one of a request may. */
const STATEMENT_TIMEOUT_MS = 120_000;

/** Fills every list of the admin API, by SQL, because requests would take minutes. */
export async function fillLists({ config, log }: World): Promise<void> {
  const db = openPostgres({
    ...config.postgres,
    log,
    maxConnections: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  await withEngines(config, log, async ({ clickhouse, shards }) => {
    for (const statement of ROWS)
      await db.query(statement.replaceAll('{rows}', `generate_series(1, ${LONG}) as n`));
    for (const statement of COUNTS)
      await runStatement(clickhouse, statement.replaceAll('{rows}', `numbers(1, ${LONG}) as n`));
    await db.query('analyze');
    for (const shard of shards.all) {
      await syncFeatures(db, shard);
      await syncInstances(db, shard);
    }
    await refreshVerdicts(clickhouse);
  });
  await db.end();
}

/** Each entry fills a list of Postgres. */
const ROWS = [
  `insert into projects (id, name, description) select 'project-' || n, 'Project ' || n, 'The project ' || n from {rows}`,
  `insert into features (name, project, owner, tags, description)
   select 'flag-' || n, 'default', 'team ' || n % 100, array['squad:' || n % 100], 'The flag ' || n from {rows}`,
  `insert into feature_environments (feature_name, environment, enabled, strategies)
   select 'flag-' || n, environment, true, '[{"name": "default"}]'
   from {rows}, unnest(array['development', 'production']) as environment`,
  `insert into features (name, project, archived_at) select 'gone-' || n, 'default', now() from {rows}`,
  `insert into strategies (name, description) select 'strategy-' || n, 'The strategy ' || n from {rows}`,
  ...[0, 1, 2, 3].map(
    (part) =>
      `insert into users (username, root_role) select 'user-' || n, 'Editor' from {rows} where n % 4 = ${part}`,
  ),
  `insert into project_roles (user_id, project, role) select id, 'default', 'Editor' from users where id > 0`,
  `insert into api_tokens (id, secret_hash, token_name, type, environment)
   select gen_random_uuid(), md5('token' || n), 'token-' || n, 'client', 'production' from {rows}`,
  `insert into personal_access_tokens (id, user_id, secret_hash, description, expires_at)
   select gen_random_uuid(), (select min(id) from users where id > 0), md5('own' || n), 'own-' || n, now() + interval '9 days' from {rows}`,
  `insert into sessions (id, user_id, secret_hash, ends_at)
   select gen_random_uuid(), (select min(id) from users where id > 0), md5('session' || n), now() + interval '9 days' from {rows}`,
  `insert into feedback (category, positive) select 'search', 'feedback ' || n from {rows}`,
  `insert into events (type, created_by, project, environment, feature_name, data, created_at)
   select 'feature-updated', 'user-' || n, 'default', 'production', 'flag-' || n % 2, '{}', now() - n * interval '1 second' from {rows}`,
  `insert into change_requests (project, environment, title, state, created_by)
   select 'default', 'production', 'request ' || n, 'In review', u.id
   from {rows} join users as u on u.username = 'user-' || n`,
  `insert into change_request_events (change_request_id, feature, action, payload, created_by)
   select id, 'flag-1', 'updateEnabled', '{"enabled": true}', created_by from change_requests`,
  `insert into change_request_comments (change_request_id, text, created_by)
   select (select min(id) from change_requests), 'comment ' || n, -1337 from {rows}`,
  `insert into client_applications (app_name, seen_at, strategies, created_by)
   select 'service-' || n, now(), '["default"]', 'test' from {rows}`,
  `insert into client_applications_usage (app_name, project, environment, seen_at)
   select 'service-' || n, 'default', 'production', now() from {rows}`,
  `insert into client_instances (app_name, environment, instance_id, sdk_version, interval_ms, last_seen)
   select 'service-' || name, 'production', 'instance-' || name || '-' || version, 'sdk:' || version, 10000, now()
   from generate_series(1, ${LONG} / 5) as name, generate_series(1, 2) as version`,
  `insert into client_instances (app_name, environment, instance_id, sdk_version, interval_ms, last_seen)
   select 'service-1', 'staging', 'instance-' || n, 'sdk:1', 10000, now() from {rows}`,
  `insert into relays (token_id, app_name, relay_id, root_id, depth, environment, version, first_seen_at, last_report_at, covered_ms, report_interval_ms, requests, revisions)
   select 'token', 'edge', 'edge-' || n, 'edge-' || n, 0, 'production', '20.' || n, now(), now(), 60000, 60000, n,
     jsonb_build_array(jsonb_build_object('environment', 'environment-' || n, 'projects', jsonb_build_array('*'), 'revision', n))
   from {rows}`,
  `insert into verdicts (subject_type, subject, environment, verdict, sentence, since)
   select 'feature', 'flag-' || n, 'production', 'always_on', 'Each of its 1000 evaluations was enabled.', now() from {rows}`,
  `insert into verdicts (subject_type, subject, environment, verdict, sentence, since, acknowledged_at, acknowledged_by, acknowledgement)
   select 'feature', 'flag-' || n, 'production', 'silent', 'It is silent.', now(), now(), 'user-' || n, 'known' from {rows}`,
  `insert into clean_ups (feature_name) select 'flag-' || n from {rows}`,
  `insert into notification_subscriptions (name, channel, host, causes, created_by)
   select 'subscription-' || n, 'webhook', 'example.com', array['verdict-appeared'], 'test' from {rows}`,
  `insert into notification_deliveries (subscription_id, type, data, state, attempted_at)
   select (select min(id) from notification_subscriptions), 'verdict.appeared', '{"sentence": "It is on.", "page": "features/flag-1"}', 'delivered', now() from {rows}`,
  `insert into code_repositories (name, branch, commit, committed_at, pushed_by, left_out)
   select 'repository-' || n, 'main', encode(sha256(('commit' || n)::bytea), 'hex'), now(), 'test', 0 from {rows}`,
  `insert into code_references (repository_id, feature_name, path, line, kind)
   select id, feature_name, 'src/file-' || id || '.ts', 1, 'call'
   from code_repositories, unnest(array['flag-1', 'flag-' || id]) as feature_name`,
  `insert into audit_entries (content) select json_build_object('operation', 'createFeature', 'outcome', 'done') from {rows}`,
  `insert into rejected_bodies (day, token_id, problem, status, path, place, message, app_name, sdk, bodies, first_at, last_at)
   select current_date, 'token-' || n, 'schema', 400, '/edge/metrics', 'metrics', 'is no list', 'service-' || n, '', 1, now(), now() from {rows}`,
  `insert into roles (name, description, permissions) select 'role-' || n, 'The role ' || n, array['READ'] from {rows}`,
];

const HOUR = `toStartOfHour(now('UTC')) - interval 2 hour`;
/** Yesterday at noon, so that a whole day has them. */
const YESTERDAY = `toStartOfDay(now('UTC')) - interval 12 hour`;

/** Each entry fills lists of ClickHouse. */
const COUNTS = [
  // Known and unknown names, in hours and days, of one application and of many.
  ...[
    `concat('flag-', toString(number)), concat('service-', toString(number)), ${HOUR}`,
    `concat('flag-', toString(number)), 'service-1', ${YESTERDAY}`,
    // Long enough ago for always_on.
    `concat('flag-', toString(number)), 'service-1', ${YESTERDAY} - interval 40 day`,
    `'flag-1', concat('service-', toString(number)), ${HOUR}`,
    `concat('stray-', toString(number)), 'service-1', ${HOUR}`,
  ].map(
    (
      key,
    ) => `insert into block_rows (kind, feature_name, app_name, hour, environment, yes, reports, variants, variant_counts)
      select 'count', ${key}, 'production', 1000 + number, 1, [concat('variant-', toString(number))], [1000 + number]
      from {rows}`,
  ),
  // With the least time without counts, service-1 is the last one.
  `insert into blocks (topic, epoch, partition, from_offset, to_offset, received_from, received_to, appended_to, spans)
   select 'spans', 1, 0, 0, 1, now64(3), now64(3), now64(3), groupArrayArray(s)
   from (
     select
       concat('service-', toString(number)) as name,
       now64(3, 'UTC') - interval 2 minute as start,
       [
         tuple(name, 'production', number, start, start + interval 10 second),
         tuple(name, 'production', number, start + interval 20 second + toIntervalMillisecond(number), start + interval 1 minute)
       ] as s
     from {rows}
   )`,
  `insert into refusals_daily (day, kind, reason, token_id, environment, app_name, feature_name, count, sample)
   select today(), 'metric', 'too_old', 'token', 'production', concat('service-', toString(number)), concat('flag-', toString(number)), 1000, '2001-01-01'
   from {rows}`,
  `insert into impact_metric_states (metric_name, metric_type, environment, app_name, help, label_names, first_hour, last_hour)
   select concat('metric_', toString(number)), 'counter', 'production', 'service-1', 'What it counts', ['flag-1'], ${HOUR}, ${HOUR}
   from {rows}`,
  `insert into impact_hourly (metric_name, metric_type, environment, app_name, label_names, label_values, hour, samples, total)
   select concat('metric_', toString(number)), 'counter', 'production', 'service-1', ['flag-1'], [arm], ${HOUR}, 1, 1000000000
   from {rows} array join ['enabled', 'disabled'] as arm`,
];
