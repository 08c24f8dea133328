import type { PostgresClient } from '#base/postgres';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { EventType } from '../../../record/events/types-schema.ts';
import { CONTENT_COLUMNS, type Content, changedMembers, updatedContent, valuesOf } from './columns.ts';
import type { FeatureUpdate } from '../schema.ts';
import type { FeatureWrite } from './change.ts';
import { type GuardDenial, denialOfGuards, noteSetter } from './guards.ts';
import { type LockedFeature, mayChange } from './lock.ts';
import { type ProjectDenial, projectFor } from './project-for.ts';

/** What Unleash has not, so that we keep it for features of Unleash too. */
const OURS: readonly string[] = ['owner', 'guards'] satisfies (keyof FeatureUpdate)[];

/** Whether an update also applies to features of Unleash. */
export function isForAllSources(update: FeatureUpdate): boolean {
  return Object.keys(update).every((member) => OURS.includes(member));
}

/**
 * Writes the members of the update that are present, and one event if anything changes. Returns why the guards of an environment may
 * not be set by this caller; then nothing is written.
 */
export async function updateFeature(
  client: PostgresClient,
  before: LockedFeature,
  {
    write: { project, feature, caller },
    update,
  }: { readonly write: FeatureWrite; readonly update: FeatureUpdate },
): Promise<GuardDenial | undefined> {
  const preData = before.content;
  const data = updatedContent(preData, update);
  const type = eventOf(preData, data);
  if (type === undefined) return undefined;
  const guards = { project, caller, source: before.source, before: preData.guards, after: data.guards };
  const denial = await denialOfGuards(client, guards);
  if (denial !== undefined) return denial;
  await client.query(
    `update features
     set ${CONTENT_COLUMNS.map((column, index) => `${column} = $${index + 2}`).join(', ')}
     where name = $1`,
    [feature, ...valuesOf(data)],
  );
  await noteSetter(client, feature, guards);
  await recordEvent(client, { type, caller, project, featureName: feature, data, preData });
  return undefined;
}

/** Unleash has separate events for a feature that becomes stale or is not stale any more. Undefined if nothing changes. */
function eventOf(before: Content, after: Content): EventType | undefined {
  const changed = changedMembers(before, after);
  if (changed.length === 0) return undefined;
  if (changed.some((name) => name !== 'stale')) return 'feature-metadata-updated';
  return after.stale ? 'feature-stale-on' : 'feature-stale-off';
}

export type MoveResult = 'moved' | 'move needs approval' | ProjectDenial;

/**
 * Moves a feature to another project. If either project requires approvals, only an Admin may do this, because the move changes
 * which approvals the feature needs.
 */
export async function moveFeature(
  client: PostgresClient,
  before: LockedFeature,
  { write: { feature, caller }, newProject }: { readonly write: FeatureWrite; readonly newProject: string },
): Promise<MoveResult> {
  if (newProject === before.project) return 'moved';
  const target = await projectFor(client, newProject);
  if (target !== 'ready') return target;
  for (const project of [before.project, newProject])
    if (!(await mayChange(client, { project }, caller))) return 'move needs approval';
  await client.query('update features set project = $2 where name = $1', [feature, newProject]);
  await recordEvent(client, {
    type: 'feature-project-change',
    caller,
    project: newProject,
    featureName: feature,
    data: { project: newProject },
    preData: { project: before.project },
  });
  return 'moved';
}
