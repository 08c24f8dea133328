import type { ExchangePart } from '../schema.ts';

/** The id that the user with a uid has here: one that the document brings, or one that was here before. */
function userId(uid: string): string {
  return `coalesce(
    (select i.id from imported_users as i where i.uid = ${uid}),
    (select u.id from users as u where u.uid = ${uid})
  )`;
}

/** Adds the rows of `$1` that are not here yet, and gives one row for each. */
export const INSERTS: Readonly<Record<ExchangePart, string>> = {
  users: `
    insert into users (uid, username, email, name, image_url, root_role, created_at, deleted_at)
    select uid, username, email, name, image_url, root_role, coalesce(created_at, now()), deleted_at
    from jsonb_to_recordset($1) as row (
      uid uuid, username text, email text, name text, image_url text, root_role text, created_at timestamptz,
      deleted_at timestamptz
    )
    on conflict do nothing
    returning uid`,
  api_tokens: `
    insert into api_tokens (
      id, secret_hash, token_name, type, environment, projects, created_at, expires_at, revoked_at, rate_limit,
      created_by, created_by_token
    )
    select
      id, secret_hash, token_name, type, environment, coalesce(projects, '{}'), coalesce(created_at, now()),
      expires_at, revoked_at, rate_limit, ${userId('row.user')}, created_by_token
    from jsonb_to_recordset($1) as row (
      id uuid, secret_hash text, token_name text, type text, environment text, projects text[],
      created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, rate_limit integer, "user" uuid,
      created_by_token uuid
    )
    on conflict do nothing
    returning id`,
  personal_access_tokens: `
    insert into personal_access_tokens (id, user_id, secret_hash, description, created_at, expires_at)
    select id, ${userId('row.user')}, secret_hash, description, coalesce(created_at, now()), expires_at
    from jsonb_to_recordset($1) as row (
      id uuid, "user" uuid, secret_hash text, description text, created_at timestamptz, expires_at timestamptz
    )
    on conflict do nothing
    returning id`,
  projects: `
    insert into projects (id, name, description, created_at)
    select id, name, description, coalesce(created_at, now())
    from jsonb_to_recordset($1) as row (id text, name text, description text, created_at timestamptz)
    on conflict do nothing
    returning id`,
  environments: `
    insert into environments (name, type, enabled, sort_order)
    select name, type, coalesce(enabled, true), coalesce(sort_order, 9999)
    from jsonb_to_recordset($1) as row (name text, type text, enabled boolean, sort_order integer)
    on conflict do nothing
    returning name`,
  features: `
    insert into features (name, project, type, description, stale, impression_data, created_at, archived_at)
    select
      name, project, coalesce(type, 'release'), description, coalesce(stale, false),
      coalesce(impression_data, false), coalesce(created_at, now()), archived_at
    from jsonb_to_recordset($1) as row (
      name text, project text, type text, description text, stale boolean, impression_data boolean,
      created_at timestamptz, archived_at timestamptz
    )
    on conflict do nothing
    returning name`,
  feature_environments: `
    insert into feature_environments (feature_name, environment, enabled)
    select feature_name, environment, enabled
    from jsonb_to_recordset($1) as row (feature_name text, environment text, enabled boolean)
    on conflict do nothing
    returning feature_name`,
  favorite_features: `
    insert into favorite_features (feature, user_id, token_id, created_at)
    select feature, ${userId('row.user')}, token_id, coalesce(created_at, now())
    from jsonb_to_recordset($1) as row (feature text, "user" uuid, token_id uuid, created_at timestamptz)
    on conflict do nothing
    returning feature`,
  strategies: `
    insert into strategies (name, title, display_name, description, parameters, deprecated, sort_order)
    select
      name, title, display_name, description, parameters, coalesce(deprecated, false), coalesce(sort_order, 9999)
    from jsonb_to_recordset($1) as row (
      name text, title text, display_name text, description text, parameters jsonb, deprecated boolean,
      sort_order integer
    )
    on conflict do nothing
    returning name`,
  feedback: `
    insert into feedback (
      uid, category, user_type, difficulty_score, positive, areas_for_improvement, created_at
    )
    select
      uid, category, user_type, difficulty_score, positive, areas_for_improvement, coalesce(created_at, now())
    from jsonb_to_recordset($1) as row (
      uid uuid, category text, user_type text, difficulty_score integer, positive text,
      areas_for_improvement text, created_at timestamptz
    )
    on conflict do nothing
    returning uid`,
  change_request_settings: `
    insert into change_request_settings (project, environment, required_approvals)
    select project, environment, required_approvals
    from jsonb_to_recordset($1) as row (project text, environment text, required_approvals integer)
    on conflict do nothing
    returning project`,
  change_requests: `
    insert into change_requests (
      uid, project, environment, title, state, state_timestamps, min_approvals, created_by, created_by_token,
      created_at
    )
    select
      uid, project, environment, title, state, coalesce(state_timestamps, '{}'), coalesce(min_approvals, 1),
      ${userId('row.user')}, token_id, coalesce(created_at, now())
    from jsonb_to_recordset($1) as row (
      uid uuid, project text, environment text, title text, state text, state_timestamps jsonb,
      min_approvals integer, "user" uuid, token_id uuid, created_at timestamptz
    )
    on conflict do nothing
    returning uid`,
  events: `
    insert into events (
      uid, created_at, type, created_by, created_by_user_id, data, pre_data, tags, project, environment,
      feature_name, group_type, group_id
    )
    select
      uid, created_at, type, created_by, ${userId('row.user')}, nullif(data, 'null'), nullif(pre_data, 'null'),
      coalesce(tags, '[]'), project, environment, feature_name, group_type,
      case
        when group_type = 'change-request'
        then (select r.id::text from change_requests as r where r.uid::text = row.group_id)
        else group_id
      end
    from jsonb_to_recordset($1) as row (
      uid uuid, created_at timestamptz, type text, created_by text, "user" uuid, data jsonb, pre_data jsonb,
      tags jsonb, project text, environment text, feature_name text, group_type text, group_id text
    )
    on conflict do nothing
    returning uid`,
};

/** What the requests of `$1` whose uid is in `$2` hold. */
export const CHANGE_REQUEST_CHILDREN: readonly string[] = [
  `insert into change_request_events (change_request_id, feature, action, payload, created_by, created_at)
   select r.id, c.feature, c.action, nullif(c.payload, 'null'), ${userId('c.user')}, coalesce(c.created_at, now())
   from jsonb_to_recordset($1) as row (uid uuid, changes jsonb)
   join change_requests as r on r.uid = row.uid and r.uid = any ($2::uuid[])
   cross join jsonb_to_recordset(row.changes) as c (
     feature text, action text, payload jsonb, "user" uuid, created_at timestamptz
   )`,
  votes('change_request_approvals', 'approvals'),
  votes('change_request_rejections', 'rejections'),
  `insert into change_request_comments (change_request_id, text, created_by, created_at)
   select r.id, c.text, ${userId('c.user')}, coalesce(c.created_at, now())
   from jsonb_to_recordset($1) as row (uid uuid, comments jsonb)
   join change_requests as r on r.uid = row.uid and r.uid = any ($2::uuid[])
   cross join jsonb_to_recordset(coalesce(row.comments, '[]')) as c (
     text text, "user" uuid, created_at timestamptz
   )`,
  `insert into change_request_schedule (change_request, scheduled_at, created_by, status, reason)
   select
     r.id, (row.schedule->>'scheduled_at')::timestamptz, ${userId("(row.schedule->>'user')::uuid")},
     coalesce(row.schedule->>'status', 'pending'), row.schedule->>'reason'
   from jsonb_to_recordset($1) as row (uid uuid, schedule jsonb)
   join change_requests as r on r.uid = row.uid and r.uid = any ($2::uuid[])
   where jsonb_typeof(row.schedule) = 'object'`,
];

function votes(table: string, part: 'approvals' | 'rejections'): string {
  return `
    insert into ${table} (change_request_id, created_by, created_by_token, created_at)
    select r.id, ${userId('c.user')}, c.token_id, coalesce(c.created_at, now())
    from jsonb_to_recordset($1) as row (uid uuid, ${part} jsonb)
    join change_requests as r on r.uid = row.uid and r.uid = any ($2::uuid[])
    cross join jsonb_to_recordset(coalesce(row.${part}, '[]')) as c (
      "user" uuid, token_id uuid, created_at timestamptz
    )`;
}
