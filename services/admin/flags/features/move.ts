import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import { EVERY } from '#base/tokens';
import { notPermitted } from '../../denial.ts';
import { IN_EVERY_ENVIRONMENT, type Need } from '../../http/access/scope.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import { type FeatureWrite, changeFeature, writeOf } from './change/change.ts';
import { type LockedFeature, mayChange } from './change/lock.ts';
import { requireProject } from './change/project-for.ts';
import { type NewProjectOfFeature, newProjectOfFeatureSchema } from './schema.ts';

const isNewProject = compileGuard<NewProjectOfFeature>(newProjectOfFeatureSchema);

/** It needs the permission in the new project too. */
function needsOfMove(body: unknown): Need[] {
  if (!isNewProject(body)) return [];
  return [{ permission: 'UPDATE_FEATURE', within: { project: body.newProjectId, environment: EVERY } }];
}

export function moveFeature(db: Postgres): Operation {
  return {
    id: 'moveFeature',
    scope: { ...IN_EVERY_ENVIRONMENT, needsOf: needsOfMove },
    method: 'post',
    path: '/api/admin/projects/{projectId}/features/{featureName}/changeProject',
    tag: 'Features',
    summary:
      'Move a feature to another project. If either project requires approvals, only Admins may do this',
    permission: 'UPDATE_FEATURE',
    isVersioned: true,
    query: COMMENTED,
    ifMatch: 'optional',
    body: { schema: newProjectOfFeatureSchema, example: { newProjectId: 'shop' } },
    answer: { status: 200, description: 'The feature is in the new project.' },
    problems: [404, 409],
    run: withBody(isNewProject, async (request, { newProjectId }) => {
      const write = writeOf(request);
      const { version } = await inTransaction(db, (client) =>
        changeFeature(client, write, (before) => move(client, before, { write, newProjectId })),
      );
      return new Versioned(version);
    }),
  };
}

/**
 * Moves a feature to another project. If either project requires approvals, only an Admin may do this, because the move changes
 * which approvals the feature needs.
 */
async function move(
  client: PostgresClient,
  before: LockedFeature,
  {
    write: { feature, caller },
    newProjectId,
  }: { readonly write: FeatureWrite; readonly newProjectId: string },
): Promise<void> {
  if (newProjectId === before.project) return;
  await requireProject(client, newProjectId, 'the new project');
  for (const project of [before.project, newProjectId])
    if (!(await mayChange(client, { project }, caller)))
      throw notPermitted('One of the projects requires approvals: only an Admin may move the feature.');
  await client.query('update features set project = $2 where name = $1', [feature, newProjectId]);
  const moved = {
    caller,
    featureName: feature,
    data: { project: newProjectId },
    preData: { project: before.project },
  };
  // Who follows one of the projects hears of it.
  await recordEvent(client, { ...moved, type: 'feature-left-project', project: before.project });
  await recordEvent(client, { ...moved, type: 'feature-project-change', project: newProjectId });
}
