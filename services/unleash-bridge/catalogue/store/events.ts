import type { PostgresClient } from '#base/postgres';
import { type UnleashEvent, uidOfEvent } from '#unleash/client';

/** A feature that an event names. */
export type TouchedFeature = { readonly name: string; readonly project: string };

/**
 * Stores events of Unleash. Returns the features that the new ones name, newest first. The user's number is not stored, because
 * it means another user here.
 */
export async function storeEvents(
  client: PostgresClient,
  events: readonly UnleashEvent[],
): Promise<readonly TouchedFeature[]> {
  const rows = events.map((event) => ({
    uid: uidOfEvent(event),
    upstream_id: event.id,
    created_at: event.createdAt,
    type: event.type,
    created_by: event.createdBy,
    data: event.data ?? null,
    pre_data: event.preData ?? null,
    tags: event.tags ?? [],
    project: event.project ?? null,
    environment: event.environment ?? null,
    feature_name: event.featureName ?? null,
  }));
  const stored = await client.query<{ uid: string }>(INSERT_EVENTS, [JSON.stringify(rows)]);
  const fresh = new Set(stored.rows.map(({ uid }) => uid));
  return rows.flatMap(({ uid, feature_name: name, project }) =>
    fresh.has(uid) && name !== null && project !== null ? [{ name, project }] : [],
  );
}

/** In the order of their time, so that our ids have the same order. */
const INSERT_EVENTS = `
  insert into events (
    uid, created_at, type, created_by, data, pre_data, tags, project, environment, feature_name, source
  )
  select
    uid, created_at, type, created_by, nullif(data, 'null'), nullif(pre_data, 'null'), tags, project, environment,
    feature_name, 'unleash'
  from jsonb_to_recordset($1) as row (
    uid uuid, upstream_id bigint, created_at timestamptz, type text, created_by text, data jsonb, pre_data jsonb, tags jsonb, project text,
    environment text, feature_name text
  )
  order by created_at, upstream_id
  on conflict (uid) do nothing
  returning uid`;
