import type { FromSchema } from 'json-schema-to-ts';
import { type Pages, type Postgres, type PostgresClient, mapPages, pageOf, readPages } from '#base/postgres';
import { compileQuery } from '#base/schema';
import type { Caller } from '#base/tokens';
import { notFound } from '../../denial.ts';
import { IN_PROJECT, OF_FEATURE } from '../../http/access/scope.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { requireKnownProject } from '../projects/store/known.ts';
import { FEATURE } from './example.ts';
import { type FeatureRow, lookUpLastSeen, selectFeatures, toFeature } from './rows.ts';
import { type Feature, featureSchema, featuresSchema } from './schema.ts';

const PATH = '/api/admin/projects/{projectId}/features';

const listQuery = {
  type: 'object',
  properties: {
    archived: {
      type: 'boolean',
      default: false,
      description: 'Lists archived features instead of active ones.',
    },
  },
} as const;

export function listFeatures({ lists }: AdminPools): Operation<FromSchema<typeof listQuery>> {
  return {
    id: 'listFeatures',
    scope: IN_PROJECT,
    queue: 'lists',
    method: 'get',
    path: PATH,
    tag: 'Features',
    summary: 'Features of a project, by name',
    permission: 'READ',
    query: compileQuery<FromSchema<typeof listQuery>>(listQuery),
    answer: {
      status: 200,
      description: 'The features.',
      schema: featuresSchema,
      example: { version: 1, features: [FEATURE] },
    },
    problems: [404],
    async run(request) {
      const project = nameParameter(request, 'projectId');
      const found = await listFeaturesOf(lists, {
        project,
        areArchived: request.query.archived,
        caller: request.caller,
      });
      return new LongList(found, { head: '{"version":1,"features":[', tail: () => ']}' });
    },
  };
}

const SELECT_FEATURES = selectFeatures(lookUpLastSeen("''"));

type Listed = { readonly project: string; readonly areArchived: boolean; readonly caller: Caller };

/** Each page by the name of the last feature of the page before. */
export async function listFeaturesOf(
  lists: Postgres,
  { project, areArchived, caller }: Listed,
): Promise<Pages<Feature>> {
  await requireKnownProject(lists, project);
  const pages = await readPages<FeatureRow>(async (last) => {
    const { rows } = await lists.query<FeatureRow>(
      pageOf({
        from: `
          ${SELECT_FEATURES}
          where f.project = $3
            and f.archived_at is ${areArchived ? 'not null' : 'null'}
            and f.name > $4`,
        order: 'name',
      }),
      [caller.userId, caller.tokenId, project, last?.name ?? ''],
    );
    return rows;
  });
  return mapPages(pages, toFeature);
}

export function getFeature({ db }: AdminPools): Operation {
  return {
    id: 'getFeature',
    scope: IN_PROJECT,
    method: 'get',
    path: `${PATH}/{featureName}`,
    tag: 'Features',
    summary: 'One feature, archived or not',
    permission: 'READ',
    isVersioned: true,
    answer: { status: 200, description: 'The feature.', schema: featureSchema, example: FEATURE },
    problems: [404],
    async run(request) {
      const project = nameParameter(request, 'projectId');
      const name = nameParameter(request, 'featureName');
      const { version, feature } = await findFeature(db, { project, name, caller: request.caller });
      return new Versioned(version, feature);
    },
  };
}

/** For links that name only the feature. */
export function getFeatureByName({ db }: AdminPools): Operation {
  return {
    id: 'getFeatureByName',
    scope: OF_FEATURE,
    method: 'get',
    path: '/api/admin/features/{featureName}',
    tag: 'Features',
    summary: 'One feature of any project, archived or not',
    permission: 'READ',
    isVersioned: true,
    answer: { status: 200, description: 'The feature.', schema: featureSchema, example: FEATURE },
    problems: [404],
    async run(request) {
      const name = nameParameter(request, 'featureName');
      const { version, feature } = await findFeature(db, { name, caller: request.caller });
      return new Versioned(version, feature);
    },
  };
}

/** A feature, and its version for If-Match. */
export type FoundFeature = { readonly feature: Feature; readonly version: number };

/** Of any project if none is named. */
type Sought = { readonly project?: string; readonly name: string; readonly caller: Caller };

export async function findFeature(
  db: Postgres | PostgresClient,
  { project, name, caller }: Sought,
): Promise<FoundFeature> {
  const { rows } = await db.query<FeatureRow>(
    `${SELECT_FEATURES} where f.project = coalesce($3, f.project) and f.name = $4`,
    [caller.userId, caller.tokenId, project, name],
  );
  const [row] = rows;
  if (row === undefined) throw notFound('There is no such feature in this project.');
  return { feature: toFeature(row), version: row.version };
}
