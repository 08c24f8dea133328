import { type Postgres, type PostgresClient, inTransaction } from '#postgres';
import type { Caller } from '#tokens';
import { recordEvent } from '../../events/store/record-event.ts';
import type { ChangeUpdate, NewChange, NewChanges } from '../body-schemas.ts';
import { findChangeRequest } from './rows.ts';
import {
  type LockedRequest,
  StepDeniedError,
  type StepResult,
  advance,
  lockChangeRequest,
  returnDenied,
} from './steps.ts';
import { checkChange } from './variant-changes.ts';

export type Place = { readonly project: string; readonly environment: string; readonly caller: Caller };

/** Adds changes to the caller's open request in the project and environment; creates the request if there is none. */
export function addChanges(db: Postgres, place: Place, { title, changes }: NewChanges): Promise<StepResult> {
  const { project, caller } = place;
  return returnDenied(() =>
    inTransaction(db, async (client) => {
      const locked = await openRequest(client, place);
      await advance(client, locked, {
        caller,
        action: 'edit',
        async work() {
          for (const change of changes) await addChange(client, change, { request: locked, caller });
          await checkSize(client, locked.id);
          if (title !== undefined) await writeTitle(client, locked.id, title);
        },
      });
      const request = await findChangeRequest(client, locked.id, { project, caller });
      return request === undefined ? 'unknown' : { request };
    }),
  );
}

/**
 * Locks and returns the caller's open request. If two calls create one at the same time, the second finds the request of the
 * first.
 */
async function openRequest(client: PostgresClient, place: Place): Promise<LockedRequest> {
  const { project, environment, caller } = place;
  await checkPlace(client, place);
  const inserted = await client.query<{ id: number }>(
    `insert into change_requests (
       project, environment, state, state_timestamps, created_by, created_by_token
     )
     values ($1, $2, 'Draft', jsonb_build_object('Draft', $5::text), $3, $4)
     on conflict (
       project, environment, created_by, coalesce(created_by_token, '00000000-0000-0000-0000-000000000000')
     ) where state not in ('Applied', 'Cancelled', 'Rejected', 'Scheduled') do nothing
     returning id`,
    [project, environment, caller.userId, caller.tokenId, new Date().toISOString()],
  );
  const id = inserted.rows[0]?.id ?? (await findOpenId(client, place));
  const request = id === undefined ? undefined : await lockChangeRequest(client, id);
  if (request === undefined)
    throw new StepDeniedError('impossible', 'Your open change request has just been closed.');
  if (inserted.rowCount === 1) {
    const data = { id: request.id };
    const type = 'change-request-created';
    await recordEvent(client, { type, caller, project, environment, data, changeRequestId: request.id });
  }
  return request;
}

async function checkPlace(client: PostgresClient, { project, environment }: Place): Promise<void> {
  const { rows } = await client.query<{ source: string }>(
    `select p.source
     from projects as p
     join environments as e on e.name = $2
     where p.id = $1`,
    [project, environment],
  );
  if (rows[0] === undefined) throw new StepDeniedError('missing', 'There is no such project or environment.');
  if (rows[0].source === 'unleash')
    throw new StepDeniedError('owned by Unleash', 'Unleash owns this project: request changes there.');
}

async function findOpenId(client: PostgresClient, place: Place): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(
    `select id
     from change_requests
     where project = $1
       and environment = $2
       and created_by = $3
       and created_by_token is not distinct from $4::uuid
       and state not in ('Applied', 'Cancelled', 'Rejected', 'Scheduled')`,
    [place.project, place.environment, place.caller.userId, place.caller.tokenId],
  );
  return rows[0]?.id;
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
    throw new StepDeniedError(
      'impossible',
      'Changes of features must name a feature, changes of segments must not.',
    );
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
  for (const added of rows) if (!isDraft(request)) await recordAdded(client, added, { request, caller });
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
    data: { id, action, ...(payload === null ? {} : { payload }) },
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
  if (rowCount === 0)
    throw new StepDeniedError('impossible', 'This project has no active feature with this name.');
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
    throw new StepDeniedError(
      'impossible',
      `A change request holds at most ${MAX_CHANGES} changes with ${MAX_PAYLOAD_BYTES / 1024} KiB of payloads.`,
    );
}

export async function writeTitle(client: PostgresClient, id: number, title: string): Promise<void> {
  await client.query('update change_requests set title = $2 where id = $1', [id, title]);
}

/** Replaces the action and payload of a change; the feature stays. */
export async function editChange(
  client: PostgresClient,
  changeId: number,
  { update, request, caller }: Edit & { readonly update: ChangeUpdate },
): Promise<void> {
  const { id, project, environment } = request;
  const { rows } = await client.query<{ feature: string | null }>(
    `update change_request_events
     set action = $3, payload = $4
     where id = $2
       and change_request_id = $1
       and (feature is null) = ($3 in ('updateSegment', 'deleteSegment'))
     returning feature`,
    [id, changeId, update.action, JSON.stringify(update.payload)],
  );
  if (rows[0] === undefined) throw new StepDeniedError('missing', 'This change request has no such change.');
  await checkChange(client, rows[0].feature ?? '', update);
  await checkSize(client, id);
  if (isDraft(request)) return;
  await recordEvent(client, {
    type: 'change-edited',
    caller,
    project,
    environment,
    data: { id: changeId, ...update },
    changeRequestId: id,
  });
}

export async function removeChange(
  client: PostgresClient,
  changeId: number,
  { request, caller }: Edit,
): Promise<void> {
  const { id, project, environment } = request;
  const { rows } = await client.query<{ action: string; payload: unknown }>(
    `delete from change_request_events
     where id = $2
       and change_request_id = $1
     returning action, payload`,
    [id, changeId],
  );
  if (rows[0] === undefined) throw new StepDeniedError('missing', 'This change request has no such change.');
  if (isDraft(request)) return;
  await recordEvent(client, {
    type: 'change-discarded',
    caller,
    project,
    environment,
    preData: { id: changeId, ...rows[0] },
    changeRequestId: id,
  });
}
