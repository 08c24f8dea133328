import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import type { Caller } from '#base/tokens';
import { Denial } from '../../denial.ts';
import { IN_PROJECT } from '../../http/access/scope.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import { type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import { checkGuards, noteSetter } from './change/guards.ts';
import { makeWay } from './change/make-way.ts';
import { requireProject } from './change/project-for.ts';
import { CONTENT_COLUMNS, contentOfNew, valuesOf } from './columns.ts';
import { FEATURE } from './example.ts';
import { type FoundFeature, findFeature } from './read.ts';
import { type NewFeature, featureSchema, newFeatureSchema } from './schema.ts';

const isNewFeature = compileGuard<NewFeature>(newFeatureSchema);

export function createFeature(db: Postgres): Operation {
  return {
    id: 'createFeature',
    scope: IN_PROJECT,
    method: 'post',
    path: '/api/admin/projects/{projectId}/features',
    tag: 'Features',
    summary: 'Create a feature',
    permission: 'CREATE_FEATURE',
    isVersioned: true,
    query: COMMENTED,
    body: {
      schema: newFeatureSchema,
      example: { name: 'new-basket', type: 'release', owner: 'Checkout team', tags: ['team:checkout'] },
    },
    answer: { status: 201, description: 'The new feature.', schema: featureSchema, example: FEATURE },
    problems: [404, 409],
    run: withBody(isNewFeature, async (request, feature) => {
      const creation = { project: nameParameter(request, 'projectId'), feature, caller: request.caller };
      const created = await inTransaction(db, (client) => create(client, creation));
      return new Versioned(created.version, created.feature);
    }),
  };
}

type Creation = { readonly project: string; readonly feature: NewFeature; readonly caller: Caller };

async function create(client: PostgresClient, { project, feature, caller }: Creation): Promise<FoundFeature> {
  await requireProject(client, project, 'this project');
  const { name } = feature;
  const content = contentOfNew(feature);
  const guards = { project, caller, source: 'flagmeter', before: [], after: content.guards };
  await checkGuards(client, guards);
  await makeWay(client, [{ name }]);
  const inserted = await client.query(
    `insert into features (name, project, created_by_user_id, ${CONTENT_COLUMNS.join(', ')})
     values ($1, $2, $3, ${CONTENT_COLUMNS.map((_column, index) => `$${index + 4}`).join(', ')})
     on conflict (name) do nothing`,
    [name, project, caller.userId, ...valuesOf(content)],
  );
  if (inserted.rowCount === 0)
    throw new Denial('NameExistsError', 'A feature with this name already exists.');
  await noteSetter(client, name, guards);
  const data = { name, project, ...content };
  await recordEvent(client, { type: 'feature-created', caller, project, featureName: name, data });
  return findFeature(client, { project, name, caller });
}
