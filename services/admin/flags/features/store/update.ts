import type { PostgresClient } from '#base/postgres';
import { notPermitted } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { EventType } from '../../../record/events/types-schema.ts';
import { CONTENT_COLUMNS, type Content, changedMembers, updatedContent, valuesOf } from './columns.ts';
import type { FeatureUpdate } from '../schema.ts';
import type { FeatureWrite } from './change.ts';
import { checkGuards, noteSetter } from './guards.ts';
import { type LockedFeature, mayChange } from './lock.ts';
import { requireProject } from './project-for.ts';

/** What Unleash has not, so that we keep it for features of Unleash too. */
const OURS: readonly string[] = ['owner', 'guards'] satisfies (keyof FeatureUpdate)[];

/** Whether an update also applies to features of Unleash. */
export function isForAllSources(update: FeatureUpdate): boolean {
  return Object.keys(update).every((member) => OURS.includes(member));
}

/** Writes the members of the update that are present, and one event if anything changes. */
export async function updateFeature(
  client: PostgresClient,
  before: LockedFeature,
  {
    write: { project, feature, caller },
    update,
  }: { readonly write: FeatureWrite; readonly update: FeatureUpdate },
): Promise<void> {
  const preData = before.content;
  const data = updatedContent(preData, update);
  const type = eventOf(preData, data);
  if (type === undefined) return;
  const guards = { project, caller, source: before.source, before: preData.guards, after: data.guards };
  await checkGuards(client, guards);
  await client.query(
    `update features
     set ${CONTENT_COLUMNS.map((column, index) => `${column} = $${index + 2}`).join(', ')}
     where name = $1`,
    [feature, ...valuesOf(data)],
  );
  await noteSetter(client, feature, guards);
  await recordEvent(client, { type, caller, project, featureName: feature, data, preData });
}

/** Unleash has separate events for a feature that becomes stale or is not stale any more. Undefined if nothing changes. */
function eventOf(before: Content, after: Content): EventType | undefined {
  const changed = changedMembers(before, after);
  if (changed.length === 0) return undefined;
  if (changed.some((name) => name !== 'stale')) return 'feature-metadata-updated';
  return after.stale ? 'feature-stale-on' : 'feature-stale-off';
}

/**
 * Moves a feature to another project. If either project requires approvals, only an Admin may do this, because the move changes
 * which approvals the feature needs.
 */
export async function moveFeature(
  client: PostgresClient,
  before: LockedFeature,
  { write: { feature, caller }, newProject }: { readonly write: FeatureWrite; readonly newProject: string },
): Promise<void> {
  if (newProject === before.project) return;
  await requireProject(client, newProject, 'the new project');
  for (const project of [before.project, newProject])
    if (!(await mayChange(client, { project }, caller)))
      throw notPermitted('One of the projects requires approvals: only an Admin may move the feature.');
  await client.query('update features set project = $2 where name = $1', [feature, newProject]);
  await recordEvent(client, {
    type: 'feature-project-change',
    caller,
    project: newProject,
    featureName: feature,
    data: { project: newProject },
    preData: { project: before.project },
  });
}
