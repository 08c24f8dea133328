import {
  type Feature,
  type NewFeature,
  compileGuard,
  featureSchema,
  featuresSchema,
  newFeatureSchema,
} from '#contract';
import { HttpProblem } from '#http';
import type { Features } from '#stores';
import { type Operation, nameParameter, notFound, withBody } from '../operation.ts';

const EXAMPLE: Feature = {
  name: 'new-basket',
  project: 'default',
  type: 'release',
  description: 'The basket with a summary',
  stale: false,
  impressionData: false,
  archived: false,
  archivedAt: null,
  createdAt: '2026-11-21T10:15:00.000Z',
  favorite: false,
  environments: [
    { name: 'development', enabled: true },
    { name: 'production', enabled: false },
  ],
};

const PATH = '/api/admin/projects/{projectId}/features';
const isNewFeature = compileGuard<NewFeature>(newFeatureSchema);

export function featureOperations(features: Features): Operation[] {
  return [listFeatures(features), createFeature(features), getFeature(features)];
}

function listFeatures(features: Features): Operation {
  return {
    id: 'listFeatures',
    method: 'get',
    path: PATH,
    tag: 'Features',
    summary: 'Features of a project, by name',
    permission: 'READ',
    query: {
      archived: {
        description: 'true for the archived ones instead of the active ones.',
        schema: { type: 'string', enum: ['true', 'false'] },
      },
    },
    answer: {
      status: 200,
      description: 'The features.',
      schema: featuresSchema,
      example: { version: 1, features: [EXAMPLE] },
    },
    problems: [400, 404],
    async run(request) {
      const { archived = 'false' } = request.query;
      if (archived !== 'true' && archived !== 'false')
        throw new HttpProblem(400, 'The parameter archived is true or false.');
      const project = nameParameter(request, 'projectId');
      const found = await features.list(project, archived === 'true', request.caller);
      if (found === undefined) throw notFound('There is no such project.');
      return { version: 1, features: found };
    },
  };
}

function createFeature(features: Features): Operation {
  return {
    id: 'createFeature',
    method: 'post',
    path: PATH,
    tag: 'Features',
    summary: 'Create a feature',
    permission: 'CREATE_FEATURE',
    body: { schema: newFeatureSchema, example: { name: 'new-basket', type: 'release' } },
    answer: { status: 201, description: 'The new feature.', schema: featureSchema, example: EXAMPLE },
    problems: [404, 409],
    run: withBody(isNewFeature, async (request, feature) => {
      const created = await features.create(nameParameter(request, 'projectId'), feature, request.caller);
      if (created === 'unknown project') throw notFound('There is no such project.');
      if (created === 'exists') throw new HttpProblem(409, 'There is a feature of that name already.');
      return created;
    }),
  };
}

function getFeature(features: Features): Operation {
  return {
    id: 'getFeature',
    method: 'get',
    path: `${PATH}/{featureName}`,
    tag: 'Features',
    summary: 'One feature, archived or not',
    permission: 'READ',
    answer: { status: 200, description: 'The feature.', schema: featureSchema, example: EXAMPLE },
    problems: [404],
    async run(request) {
      const project = nameParameter(request, 'projectId');
      const found = await features.find(project, nameParameter(request, 'featureName'), request.caller);
      if (found === undefined) throw notFound('There is no such feature in this project.');
      return found;
    },
  };
}
