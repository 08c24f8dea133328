import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard, compileQuery } from '#base/schema';
import { EVERY } from '#base/tokens';
import { IN_EVERY_ENVIRONMENT, IN_PROJECT, type Need } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import {
  type Feature,
  type FeatureUpdate,
  type NewFeature,
  type NewProjectOfFeature,
  featureSchema,
  featureUpdateSchema,
  featuresSchema,
  newFeatureSchema,
  newProjectOfFeatureSchema,
} from './schema.ts';
import { Versioned } from '../../http/answers/versions.ts';
import type { Features } from './store.ts';
import type { FeatureWrite } from './store/change.ts';

const EXAMPLE: Feature = {
  name: 'new-basket',
  project: 'default',
  type: 'release',
  description: 'The basket with a summary',
  stale: false,
  owner: 'Checkout team',
  tags: ['team:checkout'],
  guards: [{ metric: 'errors', direction: 'up', threshold: 0, above: null, turnOff: ['production'] }],
  impressionData: false,
  archived: false,
  archivedAt: null,
  createdAt: '2026-11-21T10:15:00.000Z',
  createdBy: 'ana@example.org',
  source: 'flagmeter',
  provider: null,
  favorite: false,
  lastSeenAt: '2026-11-22T09:00:00.000Z',
  environments: [
    { name: 'development', enabled: true, lastSeenAt: '2026-11-22T09:00:00.000Z' },
    { name: 'production', enabled: false, lastSeenAt: null },
  ],
};

const PATH = '/api/admin/projects/{projectId}/features';
const isNewFeature = compileGuard<NewFeature>(newFeatureSchema);

export function featureOperations(features: Features): Operation[] {
  return [
    listFeatures(features),
    createFeature(features),
    getFeature(features),
    updateFeature(features),
    moveFeature(features),
  ];
}

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

function listFeatures(features: Features): Operation<FromSchema<typeof listQuery>> {
  return {
    id: 'listFeatures',
    scope: IN_PROJECT,
    room: 'lists',
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
      example: { version: 1, features: [EXAMPLE] },
    },
    problems: [404],
    async run(request) {
      const project = nameParameter(request, 'projectId');
      const found = await features.list(project, request.query.archived, request.caller);
      return new LongList(found, { head: '{"version":1,"features":[', tail: () => ']}' });
    },
  };
}

function createFeature(features: Features): Operation {
  return {
    id: 'createFeature',
    scope: IN_PROJECT,
    method: 'post',
    path: PATH,
    tag: 'Features',
    summary: 'Create a feature',
    permission: 'CREATE_FEATURE',
    isVersioned: true,
    body: {
      schema: newFeatureSchema,
      example: { name: 'new-basket', type: 'release', owner: 'Checkout team', tags: ['team:checkout'] },
    },
    answer: { status: 201, description: 'The new feature.', schema: featureSchema, example: EXAMPLE },
    problems: [404, 409],
    run: withBody(isNewFeature, async (request, feature) => {
      const created = await features.create(nameParameter(request, 'projectId'), feature, request.caller);
      return new Versioned(created.version, created.feature);
    }),
  };
}

function getFeature(features: Features): Operation {
  return {
    id: 'getFeature',
    scope: IN_PROJECT,
    method: 'get',
    path: `${PATH}/{featureName}`,
    tag: 'Features',
    summary: 'One feature, archived or not',
    permission: 'READ',
    isVersioned: true,
    answer: { status: 200, description: 'The feature.', schema: featureSchema, example: EXAMPLE },
    problems: [404],
    async run(request) {
      const project = nameParameter(request, 'projectId');
      const found = await features.find(project, nameParameter(request, 'featureName'), request.caller);
      return new Versioned(found.version, found.feature);
    },
  };
}

const isFeatureUpdate = compileGuard<FeatureUpdate>(featureUpdateSchema);

function updateFeature(features: Features): Operation {
  return {
    id: 'updateFeature',
    scope: IN_PROJECT,
    method: 'put',
    path: `${PATH}/{featureName}`,
    tag: 'Features',
    summary:
      'Change the description, type, stale mark, owner, tags or impression data of a feature; absent members stay. Of a feature of Unleash only the owner can be changed',
    permission: 'UPDATE_FEATURE',
    isVersioned: true,
    ifMatch: 'optional',
    body: { schema: featureUpdateSchema, example: { description: 'The new basket', stale: true } },
    answer: {
      status: 200,
      description: 'The feature as it is now.',
      schema: featureSchema,
      example: EXAMPLE,
    },
    problems: [404, 409],
    run: withBody(isFeatureUpdate, async (request, update) => {
      const { version, feature } = await features.update(writeOf(request), update);
      return new Versioned(version, feature);
    }),
  };
}

const isNewProject = compileGuard<NewProjectOfFeature>(newProjectOfFeatureSchema);

/** It needs the permission in the new project too. */
function needsOfMove(body: unknown): Need[] {
  if (!isNewProject(body)) return [];
  return [{ permission: 'UPDATE_FEATURE', place: { project: body.newProjectId, environment: EVERY } }];
}

function moveFeature(features: Features): Operation {
  return {
    id: 'moveFeature',
    scope: { ...IN_EVERY_ENVIRONMENT, needsOf: needsOfMove },
    method: 'post',
    path: `${PATH}/{featureName}/changeProject`,
    tag: 'Features',
    summary:
      'Move a feature to another project. If either project requires approvals, only Admins may do this',
    permission: 'UPDATE_FEATURE',
    isVersioned: true,
    ifMatch: 'optional',
    body: { schema: newProjectOfFeatureSchema, example: { newProjectId: 'shop' } },
    answer: { status: 200, description: 'The feature is in the new project.' },
    problems: [404, 409],
    run: withBody(isNewProject, async (request, { newProjectId }) => {
      const { version } = await features.move(writeOf(request), newProjectId);
      return new Versioned(version);
    }),
  };
}

function writeOf(request: AdminRequest): FeatureWrite {
  return {
    project: nameParameter(request, 'projectId'),
    feature: nameParameter(request, 'featureName'),
    caller: request.caller,
    isCurrent: request.isCurrent,
  };
}
