import { exportedChangeRequestSchema } from '../../../flags/change-requests/exported-schema.ts';
import { type ExchangePart, type ExportedChangeRequest, exchangeSchema } from '../schema.ts';
import { type Member, type Table, selectOf } from './statements.ts';

const { changes, approvals, rejections, comments, schedule } = exportedChangeRequestSchema.properties;

/** A column that refers to a user. The document has the uid instead, because each instance numbers its users differently. */
const userIn = (table: string, column: string, member = 'user'): Member => ({
  column,
  type: 'uuid',
  read: `(select u.uid from users as u where u.id = ${table}.${column})`,
  write: `coalesce(
    (matched.users ->> record."${member}"::text)::integer,
    (select u.id from users as u where u.uid = record."${member}")
  )`,
});

const renamed = (column: string): Member => ({ column, read: column });

/** The change request that a record belongs to, by uid; the import adds this member. */
const requestIn = (column: string): Member => ({
  column,
  type: 'uuid',
  write: '(select r.id from change_requests as r where r.uid = record.request)',
});

/** The version that was approved or scheduled. */
const version: Member = {
  column: 'version',
  read: 'version',
  write:
    'coalesce(record.version, (select r.version from change_requests as r where r.uid = record.request))',
};

/** The tables whose rows belong to a change request. */
export const REQUEST_TABLES: Readonly<Record<Exclude<keyof ExportedChangeRequest, 'uid'>, Table>> = {
  changes: {
    name: 'change_request_events',
    schema: changes.items,
    order: 'id',
    where: 'change_request_id = change_requests.id',
    members: {
      user: userIn('change_request_events', 'created_by'),
      token_id: renamed('created_by_token'),
      request: requestIn('change_request_id'),
    },
  },
  approvals: {
    name: 'change_request_approvals',
    schema: approvals.items,
    order: 'id',
    where: 'change_request_id = change_requests.id and withdrawn_at is null',
    members: {
      user: userIn('change_request_approvals', 'created_by'),
      token_id: renamed('created_by_token'),
      version,
      request: requestIn('change_request_id'),
    },
  },
  rejections: {
    name: 'change_request_rejections',
    schema: rejections.items,
    order: 'id',
    where: 'change_request_id = change_requests.id',
    members: {
      user: userIn('change_request_rejections', 'created_by'),
      token_id: renamed('created_by_token'),
      request: requestIn('change_request_id'),
    },
  },
  comments: {
    name: 'change_request_comments',
    schema: comments.items,
    order: 'id',
    where: 'change_request_id = change_requests.id',
    members: {
      user: userIn('change_request_comments', 'created_by'),
      token_id: renamed('created_by_token'),
      request: requestIn('change_request_id'),
    },
  },
  schedule: {
    name: 'change_request_schedule',
    schema: schedule,
    order: 'scheduled_at',
    where: 'change_request = change_requests.id',
    members: {
      user: userIn('change_request_schedule', 'created_by'),
      token_id: renamed('created_by_token'),
      version,
      request: requestIn('change_request'),
    },
  },
};

const listOf = (table: Table): Member => ({
  read: `(select coalesce(jsonb_agg(to_jsonb(item)), '[]') from (${selectOf(table)}) as item)`,
});

const PARTS: Readonly<Record<ExchangePart, Omit<Table, 'name' | 'schema'>>> = {
  users: {
    order: 'id',
    members: { is_system: { read: 'is_system' } },
  },
  api_tokens: {
    order: 'created_at, id',
    members: { user: userIn('api_tokens', 'created_by') },
  },
  personal_access_tokens: {
    order: 'created_at, id',
    members: {
      user: userIn('personal_access_tokens', 'user_id'),
      creator: userIn('personal_access_tokens', 'created_by', 'creator'),
    },
  },
  projects: { order: 'id' },
  environments: { order: 'name' },
  roles: { order: 'name', where: 'not is_system' },
  project_roles: {
    order: 'project, user_id, role',
    where: 'not from_groups',
    members: { user: userIn('project_roles', 'user_id') },
  },
  features: { order: 'name' },
  feature_environments: {
    order: 'feature_name, environment',
    addedIf: `not exists (
      select
      from features as f
      where f.name = record.feature_name
        and f.source = 'unleash'
    )`,
  },
  favorite_features: {
    order: 'created_at, feature',
    members: { user: userIn('favorite_features', 'user_id') },
  },
  strategies: { order: 'name', where: 'not built_in' },
  feedback: { order: 'id' },
  change_request_settings: {
    order: 'project, environment',
  },
  change_requests: {
    order: 'id',
    members: {
      user: userIn('change_requests', 'created_by'),
      token_id: renamed('created_by_token'),
      changes: listOf(REQUEST_TABLES.changes),
      approvals: listOf(REQUEST_TABLES.approvals),
      rejections: listOf(REQUEST_TABLES.rejections),
      comments: listOf(REQUEST_TABLES.comments),
      schedule: {
        read: `(select to_jsonb(item) from (${selectOf(REQUEST_TABLES.schedule)}) as item)`,
      },
    },
  },
  notification_subscriptions: {
    order: 'id',
    // Without an address nothing can be sent.
    members: { enabled: { column: 'enabled', read: 'enabled', write: 'false' } },
  },
  verdicts: {
    order: 'id',
    where: 'acknowledged_at is not null',
    members: { user: userIn('verdicts', 'acknowledged_by_user_id') },
  },
  events: {
    order: 'id',
    members: {
      user: userIn('events', 'created_by_user_id'),
      // Each instance numbers its users differently.
      token: { column: 'token', read: `jsonb_set(token, '{createdByUserId}', 'null')` },
      group_id: {
        column: 'group_id',
        read: groupId('(select r.uid::text from change_requests as r where r.id::text = events.group_id)'),
        write: groupId('(select r.id::text from change_requests as r where r.uid::text = record.group_id)'),
      },
    },
  },
};

export function tableOf(part: ExchangePart): Table {
  return { name: part, schema: exchangeSchema.properties[part].items, ...PARTS[part] };
}

/** A document identifies a change request by its uid, an instance by its number. */
function groupId(ofRequest: string): string {
  return `case when group_type = 'change-request' then ${ofRequest} else group_id end`;
}
