import type { Postgres, PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { type Denial, notFound } from '../../../denial.ts';
import { missingApprovals } from '../rules/approvals.ts';
import type { ChangeRequest } from '../schema.ts';
import { isSeenBy } from './author.ts';
import { readApprovals, toAuthor } from './lock.ts';

export type Person = { id: number; username: string | null; imageUrl: string | null };
type Vote = { createdBy: Person; createdAt: string };
type Approval = Vote & { version: number };
type ChangeRow = {
  id: number;
  feature: string | null;
  action: string;
  payload: unknown;
  createdBy: Person;
  createdAt: string;
};

type ChangeRequestRow = {
  id: number;
  title: string | null;
  environment: string;
  project: string;
  version: number;
  min_approvals: number;
  state: ChangeRequest['state'];
  state_timestamps: Record<string, string>;
  created_at: Date;
  created_by: number;
  created_by_token: string | null;
  author: Person;
  changes: ChangeRow[];
  approvals: Approval[];
  withdrawn: Approval[];
  rejections: Vote[];
  comments: (Vote & { id: number; text: string })[];
  schedule: {
    status: 'pending' | 'failed' | 'suspended';
    scheduledAt: string;
    reason: string | null;
  } | null;
};

/** SQL for the person who created a row of `alias`: a user, or a token under its own name. */
export function personOf(alias: string): string {
  return `(
    select json_build_object(
      'id', u.id, 'username', coalesce(t.token_name, u.username, u.email, u.name), 'imageUrl', u.image_url
    )
    from users as u
    left join api_tokens as t on t.id = ${alias}.created_by_token
    where u.id = ${alias}.created_by
  )`;
}

function approvalsThat(are: 'withdrawn_at is null' | 'withdrawn_at is not null'): string {
  return `(
    select coalesce(
      json_agg(
        json_build_object('createdBy', ${personOf('v')}, 'createdAt', v.created_at, 'version', v.version)
        order by v.created_at, v.id
      ),
      '[]'
    )
    from change_request_approvals as v
    where v.change_request_id = r.id
      and v.${are}
  )`;
}

// One statement, so that the whole request is read as it was at one moment. No part of the text comes from outside.
const SELECT = `
  select
    r.id, r.title, r.environment, r.project, r.version, r.min_approvals, r.state, r.state_timestamps, r.created_at,
    r.created_by, r.created_by_token,
    ${personOf('r')} as author,
    (
      select coalesce(
        json_agg(
          json_build_object(
            'id', c.id, 'feature', c.feature, 'action', c.action, 'payload', c.payload,
            'createdBy', ${personOf('c')}, 'createdAt', c.created_at
          ) order by c.id
        ),
        '[]'
      )
      from change_request_events as c
      where c.change_request_id = r.id
    ) as changes,
    ${approvalsThat('withdrawn_at is null')} as approvals,
    ${approvalsThat('withdrawn_at is not null')} as withdrawn,
    (
      select coalesce(
        json_agg(json_build_object('createdBy', ${personOf('v')}, 'createdAt', v.created_at) order by v.id),
        '[]'
      )
      from change_request_rejections as v
      where v.change_request_id = r.id
    ) as rejections,
    (
      select coalesce(
        json_agg(
          json_build_object(
            'id', m.id, 'text', m.text, 'createdBy', ${personOf('m')}, 'createdAt', m.created_at
          ) order by m.id
        ),
        '[]'
      )
      from change_request_comments as m
      where m.change_request_id = r.id
    ) as comments,
    (
      select json_build_object('status', s.status, 'scheduledAt', s.scheduled_at, 'reason', s.reason)
      from change_request_schedule as s
      where s.change_request = r.id
    ) as schedule
  from change_requests as r`;

/** `$1` is the project; `$2` and `$3` are the caller. */
export const VISIBLE = `
  where r.project = $1
    and ${isSeenBy({ userId: '$2', tokenId: '$3' })}`;

export type Seen = { readonly project: string; readonly caller: Caller };

export async function findChangeRequest(
  db: Postgres | PostgresClient,
  id: number,
  { project, caller }: Seen,
): Promise<ChangeRequest> {
  const { rows } = await db.query<ChangeRequestRow>(`${SELECT} ${VISIBLE} and r.id = $4`, [
    project,
    caller.userId,
    caller.tokenId,
    id,
  ]);
  const [row] = rows;
  if (row === undefined) throw noSuchRequest();
  return toChangeRequest(row, await findMissing(db, row));
}

export function noSuchRequest(): Denial {
  return notFound('There is no such change request in this project.');
}

/** Drafts and closed requests need no approvals. */
async function findMissing(
  db: Postgres | PostgresClient,
  row: ChangeRequestRow,
): Promise<string | undefined> {
  if (!['In review', 'Approved', 'Scheduled'].includes(row.state)) return undefined;
  return missingApprovals({
    version: row.version,
    author: toAuthor(row),
    approvals: await readApprovals(db, row.id),
    minApprovals: row.min_approvals,
  });
}

function toChangeRequest(row: ChangeRequestRow, missing: string | undefined): ChangeRequest {
  const common = {
    id: row.id,
    ...(row.title === null ? {} : { title: row.title }),
    environment: row.environment,
    project: row.project,
    version: row.version,
    minApprovals: row.min_approvals,
    features: toFeatures(row.changes),
    segments: row.changes.filter(({ feature }) => feature === null).map(toSegmentChange),
    approvals: row.approvals.map(toApproval),
    ...(missing === undefined ? {} : { missingApprovals: missing }),
    withdrawnApprovals: row.withdrawn.map(toApproval),
    rejections: row.rejections.map(toVote),
    comments: row.comments.map(({ id, text, ...vote }) => ({ id, text, ...toVote(vote) })),
    createdBy: row.author,
    createdAt: row.created_at.toISOString(),
    stateTimestamps: row.state_timestamps,
  };
  if (row.state !== 'Scheduled') return { ...common, state: row.state };
  if (row.schedule === null) throw new Error('a scheduled change request has no schedule');
  const { status, scheduledAt, reason } = row.schedule;
  const schedule = { status, scheduledAt: isoOf(scheduledAt), ...(reason === null ? {} : { reason }) };
  return { ...common, state: row.state, schedule };
}

function toFeatures(changes: readonly ChangeRow[]) {
  const names = new Set(changes.flatMap(({ feature }) => feature ?? []));
  return [...names].map((name) => ({
    name,
    changes: changes.filter(({ feature }) => feature === name).map(toChange),
  }));
}

function toVote({ createdBy, createdAt }: Vote) {
  return { createdBy, createdAt: isoOf(createdAt) };
}

function toApproval({ version, ...vote }: Approval) {
  return { ...toVote(vote), version };
}

function toChange({ id, action, payload, createdBy, createdAt }: ChangeRow) {
  return { id, action, ...(payload === null ? {} : { payload }), createdBy, createdAt: isoOf(createdAt) };
}

function toSegmentChange(row: ChangeRow) {
  const { payload } = row;
  const hasName = typeof payload === 'object' && payload !== null && 'name' in payload;
  const name = hasName && typeof payload.name === 'string' ? { name: payload.name.slice(0, 255) } : {};
  return { ...toChange(row), ...name };
}

/** Converts a time in Postgres's JSON, which has an offset and microseconds. */
export function isoOf(time: string): string {
  return new Date(time).toISOString();
}
