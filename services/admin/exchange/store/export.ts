import type { Postgres, PostgresClient } from '#postgres';
import { EXCHANGE_PARTS, type ExchangePart } from '../schema.ts';

const PAGE_ROWS = 500;

/** Rows of each part, as the exchange document has them; users are named by their uid, which no instance changes. */
const ROWS: Readonly<Record<ExchangePart, string>> = {
  users: `
    select uid, username, email, name, image_url, root_role, is_system, created_at, deleted_at
    from users
    order by id`,
  api_tokens: `
    select
      t.id, t.secret_hash, t.token_name, t.type, t.environment, t.projects, t.created_at, t.expires_at,
      t.revoked_at, t.rate_limit, u.uid as user, t.created_by_token
    from api_tokens as t
    left join users as u on u.id = t.created_by
    order by t.created_at, t.id`,
  personal_access_tokens: `
    select t.id, u.uid as user, t.secret_hash, t.description, t.created_at, t.expires_at
    from personal_access_tokens as t
    join users as u on u.id = t.user_id
    order by t.created_at, t.id`,
  projects: 'select id, name, description, created_at from projects order by id',
  environments: 'select name, type, enabled, sort_order from environments order by name',
  features: `
    select name, project, type, description, stale, impression_data, created_at, archived_at
    from features
    order by name`,
  feature_environments: `
    select feature_name, environment, enabled
    from feature_environments
    order by feature_name, environment`,
  favorite_features: `
    select v.feature, u.uid as user, v.token_id, v.created_at
    from favorite_features as v
    join users as u on u.id = v.user_id
    order by v.created_at, v.feature`,
  strategies: `
    select name, title, display_name, description, parameters, deprecated, sort_order
    from strategies
    where not built_in
    order by name`,
  feedback: `
    select uid, category, user_type, difficulty_score, positive, areas_for_improvement, created_at
    from feedback
    order by id`,
  change_request_settings: `
    select project, environment, required_approvals
    from change_request_settings
    order by project, environment`,
  change_requests: `
    select
      r.uid, r.project, r.environment, r.title, r.state, r.state_timestamps, r.min_approvals, r.created_at,
      u.uid as user, r.created_by_token as token_id,
      ${childrenOf('change_request_events', 'c.feature, c.action, c.payload, c.created_at')} as changes,
      ${childrenOf('change_request_approvals', 'c.created_by_token as token_id, c.created_at')} as approvals,
      ${childrenOf('change_request_rejections', 'c.created_by_token as token_id, c.created_at')} as rejections,
      ${childrenOf('change_request_comments', 'c.text, c.created_at')} as comments,
      (
        select to_jsonb(item)
        from (
          select s.scheduled_at, s.status, s.reason, su.uid as user
          from change_request_schedule as s
          join users as su on su.id = s.created_by
          where s.change_request = r.id
        ) as item
      ) as schedule
    from change_requests as r
    join users as u on u.id = r.created_by
    order by r.id`,
  events: `
    select
      e.uid, e.created_at, e.type, e.created_by, u.uid as user, e.data, e.pre_data, e.tags, e.project,
      e.environment, e.feature_name, e.group_type,
      case
        when e.group_type = 'change-request'
        then (select r.uid::text from change_requests as r where r.id::text = e.group_id)
        else e.group_id
      end as group_id
    from events as e
    left join users as u on u.id = e.created_by_user_id
    order by e.id`,
};

function childrenOf(table: string, columns: string): string {
  return `(
    select coalesce(jsonb_agg(to_jsonb(item) - 'id' order by item.id), '[]')
    from (
      select c.id, cu.uid as user, ${columns}
      from ${table} as c
      join users as cu on cu.id = c.created_by
      where c.change_request_id = r.id
    ) as item
  )`;
}

/** The exchange document as text, a page at a time, as everything was at one moment. */
export async function* exportDocument(db: Postgres): AsyncGenerator<string> {
  const client = await db.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    yield '{"format":"flagmeter","version":1';
    for (const part of EXCHANGE_PARTS) {
      yield `,\n"${part}":[`;
      let isFirst = true;
      for await (const page of pagesOf(client, ROWS[part])) {
        yield `${isFirst ? '\n' : ',\n'}${page.join(',\n')}`;
        isFirst = false;
      }
      yield ']';
    }
    yield '}\n';
  } finally {
    client.release(true);
  }
}

async function* pagesOf(client: PostgresClient, query: string): AsyncGenerator<string[]> {
  await client.query(
    `declare rows no scroll cursor for select to_jsonb(row)::text as json from (${query}) as row`,
  );
  for (;;) {
    const { rows } = await client.query<{ json: string }>(`fetch ${PAGE_ROWS} from rows`);
    if (rows.length === 0) break;
    yield rows.map(({ json }) => json);
  }
  await client.query('close rows');
}
