import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound, notValid } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { ChangeUpdate, NewChange, NewChanges } from '../body-schemas.ts';
import type { ChangeRequest } from '../schema.ts';
import { keepPastChange, keepPastTitle } from './differences.ts';
import type { LockedRequest } from './lock.ts';
import { type DraftKey, openRequest } from './open-request.ts';
import { findChangeRequest } from './rows.ts';
import { advance } from './steps.ts';
import { checkChange } from './applying/variant-changes.ts';

/** Adds changes to the caller's open request in the project and environment; creates the request if there is none. */
export function addChanges(
  db: Postgres,
  key: DraftKey,
  { title, changes }: NewChanges,
): Promise<ChangeRequest> {
  const { project, caller } = key;
  return inTransaction(db, async (client) => {
    const locked = await openRequest(client, key);
    await advance(client, locked, {
      caller,
      action: 'edit',
      async work(_, request) {
        for (const change of changes) await addChange(client, change, { request, caller });
        await checkSize(client, request.id);
        if (title !== undefined) await writeTitle(client, request, title);
      },
    });
    return findChangeRequest(client, locked.id, { project, caller });
  });
}

type Edit = { readonly request: LockedRequest; readonly caller: Caller };

async function addChange(
  client: PostgresClient,
  change: NewChange,
  { request, caller }: Edit,
): Promise<void> {
  const { feature, action, payload } = change;
  const isOfSegment = action === 'updateSegment' || action === 'deleteSegment';
  if (isOfSegment !== (feature === undefined))
    throw notValid('Changes of features must name a feature, changes of segments must not.');
  if (feature !== undefined) {
    await checkFeature(client, request.project, feature);
    await checkChange(client, feature, change);
  }
  const { rows } = await client.query<AddedChange>(
    `insert into change_request_events (change_request_id, feature, action, payload, created_by, created_by_token)
     values ($1, $2, $3, $4, $5, $6)
     returning id, feature, action, payload`,
    // Without a payload this is undefined, which pg sends as null.
    [request.id, feature, action, JSON.stringify(payload), caller.userId, caller.tokenId],
  );
  for (const added of rows) {
    await keepPastChange(client, request, added);
    if (!isDraft(request)) await recordAdded(client, added, { request, caller });
  }
}

/** Only its author sees a draft: its changes are recorded when it is submitted. */
function isDraft({ situation }: LockedRequest): boolean {
  return situation.state === 'Draft';
}

type AddedChange = { id: number; feature: string | null; action: string; payload: unknown };

async function recordAdded(
  client: PostgresClient,
  { id, feature, action, payload }: AddedChange,
  { request, caller }: Edit,
): Promise<void> {
  const { project, environment } = request;
  await recordEvent(client, {
    type: 'change-added',
    caller,
    project,
    environment,
    ...(feature === null ? {} : { featureName: feature }),
    data: { id, action, ...(payload === null ? {} : { payload }), version: request.version },
    changeRequestId: request.id,
  });
}

/** Records the changes of a draft when it is submitted and becomes visible to everybody. */
export async function recordChanges(client: PostgresClient, edit: Edit): Promise<void> {
  const { rows } = await client.query<AddedChange>(
    `select id, feature, action, payload
     from change_request_events
     where change_request_id = $1
     order by id`,
    [edit.request.id],
  );
  for (const change of rows) await recordAdded(client, change, edit);
}

async function checkFeature(client: PostgresClient, project: string, feature: string): Promise<void> {
  const { rowCount } = await client.query(
    `select
     from features
     where name = $1
       and project = $2
       and archived_at is null
     for key share`,
    [feature, project],
  );
  if (rowCount === 0) throw notValid('This project has no active feature with this name.');
}

/** Bounded, because every reader of a request gets all of its changes. */
const MAX_CHANGES = 200;
const MAX_PAYLOAD_BYTES = 256 * 1024;

async function checkSize(client: PostgresClient, id: number): Promise<void> {
  const { rows } = await client.query<{ changes: number; bytes: number }>(
    `select count(*)::int as changes, coalesce(sum(octet_length(payload::text)), 0)::int as bytes
     from change_request_events
     where change_request_id = $1`,
    [id],
  );
  const { changes = 0, bytes = 0 } = rows[0] ?? {};
  if (changes > MAX_CHANGES || bytes > MAX_PAYLOAD_BYTES)
    throw notValid(
      `A change request holds at most ${MAX_CHANGES} changes with ${MAX_PAYLOAD_BYTES / 1024} KiB of payloads.`,
    );
}

export async function writeTitle(
  client: PostgresClient,
  request: LockedRequest,
  title: string,
): Promise<void> {
  await keepPastTitle(client, request);
  await client.query('update change_requests set title = $2 where id = $1', [request.id, title]);
}

/** Replaces the action and payload of a change; the feature stays. */
export async function editChange(
  client: PostgresClient,
  changeId: number,
  { update, request, caller }: Edit & { readonly update: ChangeUpdate },
): Promise<void> {
  const { id, project, environment, version } = request;
  const before = await findChange(client, id, changeId);
  const { rows } = await client.query<{ feature: string | null }>(
    `update change_request_events
     set action = $3, payload = $4
     where id = $2
       and change_request_id = $1
       and (feature is null) = ($3 in ('updateSegment', 'deleteSegment'))
     returning feature`,
    [id, changeId, update.action, JSON.stringify(update.payload)],
  );
  if (rows[0] === undefined || before === undefined) throw notFound(NO_CHANGE);
  await checkChange(client, rows[0].feature ?? '', update);
  await checkSize(client, id);
  await keepPastChange(client, request, { id: changeId, feature: before.feature, before });
  if (isDraft(request)) return;
  await recordEvent(client, {
    type: 'change-edited',
    caller,
    project,
    environment,
    data: { id: changeId, ...update, version },
    preData: { id: changeId, action: before.action, payload: before.payload },
    changeRequestId: id,
  });
}

export async function removeChange(
  client: PostgresClient,
  changeId: number,
  { request, caller }: Edit,
): Promise<void> {
  const { id, project, environment, version } = request;
  const before = await findChange(client, id, changeId);
  if (before === undefined) throw notFound(NO_CHANGE);
  await client.query('delete from change_request_events where id = $1', [changeId]);
  await keepPastChange(client, request, { id: changeId, feature: before.feature, before });
  if (isDraft(request)) return;
  await recordEvent(client, {
    type: 'change-discarded',
    caller,
    project,
    environment,
    data: { id: changeId, version },
    preData: { id: changeId, action: before.action, payload: before.payload },
    changeRequestId: id,
  });
}

type StoredChange = { readonly feature: string | null; readonly action: string; readonly payload: unknown };

/** The change as it is before an edit. The lock of the request keeps it. */
async function findChange(
  client: PostgresClient,
  id: number,
  changeId: number,
): Promise<StoredChange | undefined> {
  const { rows } = await client.query<StoredChange>(
    `select feature, action, payload
     from change_request_events
     where id = $2
       and change_request_id = $1`,
    [id, changeId],
  );
  return rows[0];
}

const NO_CHANGE = 'This change request has no such change.';
