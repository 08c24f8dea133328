import { type Postgres, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import { IN_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import { type AdminRequest, type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { Versioned } from '../../http/answers/versions.ts';
import { COMMENTED } from '../../http/comment.ts';
import {
  type SortOrder,
  type StrategyContent,
  featureStrategiesSchema,
  featureStrategySchema,
  sortOrderSchema,
  strategyContentSchema,
} from './schema.ts';
import { changeFeature } from '../features/change/change.ts';
import { type StrategyChange, changeStrategies, unknownStrategy } from './store/change.ts';
import { findStrategies } from './store/rows.ts';

const ID = '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11';

const CONTENT: StrategyContent = {
  name: 'flexibleRollout',
  parameters: { rollout: '25', stickiness: 'userId', groupId: 'new-basket' },
  constraints: [{ contextName: 'country', operator: 'IN', values: ['DE', 'FR'] }],
  variants: [
    { name: 'blue', weight: 500, weightType: 'variable', stickiness: 'userId' },
    { name: 'red', weight: 500, weightType: 'variable', stickiness: 'userId' },
  ],
};

const EXAMPLE = {
  ...CONTENT,
  id: ID,
  title: null,
  disabled: false,
  segments: [],
  sortOrder: 0,
};

const PATH = '/api/admin/projects/{projectId}/features/{featureName}/environments/{environment}/strategies';
const COMMON = { tag: 'Features', isVersioned: true, scope: IN_ENVIRONMENT } as const;
const WRITE = {
  ...COMMON,
  query: COMMENTED,
  ifMatch: 'optional',
  permission: 'UPDATE_FEATURE',
  problems: [404, 409],
} as const;
const ONE = { status: 200, schema: featureStrategySchema, example: EXAMPLE } as const;

/** Unleash's paths and fields. Where an environment requires approvals, changes need a change request. */
export function featureStrategyOperations(db: Postgres): Operation[] {
  return [...readOperations(db), ...contentOperations(db), ...listOperations(db)];
}

function readOperations(db: Postgres): Operation[] {
  const read = { ...COMMON, scope: IN_PROJECT, method: 'get', permission: 'READ', problems: [404] } as const;
  return [
    {
      ...read,
      id: 'listFeatureStrategies',
      path: PATH,
      summary: 'Strategies of a feature in an environment, in their order',
      answer: {
        status: 200,
        description: 'The strategies.',
        schema: featureStrategiesSchema,
        example: [EXAMPLE],
      },
      async run(request) {
        const found = await findStrategies(db, placeOf(request));
        return new Versioned(found.version, found.strategies);
      },
    },
    {
      ...read,
      id: 'getFeatureStrategy',
      path: `${PATH}/{strategyId}`,
      summary: 'One strategy of a feature',
      answer: { ...ONE, description: 'The strategy.' },
      async run(request) {
        const found = await findStrategies(db, placeOf(request));
        const strategy = found.strategies.find(({ id }) => id === idOf(request));
        if (strategy === undefined) throw unknownStrategy();
        return new Versioned(found.version, strategy);
      },
    },
  ];
}

function contentOperations(db: Postgres): Operation[] {
  const isContent = compileGuard<StrategyContent>(strategyContentSchema);
  const body = { schema: strategyContentSchema, example: CONTENT };
  return [
    {
      ...WRITE,
      id: 'addFeatureStrategy',
      method: 'post',
      path: PATH,
      summary: 'Attach a strategy to a feature in an environment, after the others',
      body,
      answer: { ...ONE, description: 'The new strategy.' },
      run: withBody(isContent, (request, content) => change(db, request, { action: 'addStrategy', content })),
    },
    {
      ...WRITE,
      id: 'updateFeatureStrategy',
      method: 'put',
      path: `${PATH}/{strategyId}`,
      summary: 'Replace a strategy of a feature; absent members get their defaults',
      body,
      answer: { ...ONE, description: 'The strategy as it is now.' },
      run: withBody(isContent, (request, content) =>
        change(db, request, { action: 'updateStrategy', id: idOf(request), content }),
      ),
    },
  ];
}

function listOperations(db: Postgres): Operation[] {
  return [
    {
      ...WRITE,
      id: 'removeFeatureStrategy',
      method: 'delete',
      path: `${PATH}/{strategyId}`,
      summary: 'Remove a strategy from a feature',
      answer: { status: 200, description: 'The strategy is removed.' },
      run: (request) => change(db, request, { action: 'deleteStrategy', id: idOf(request) }),
    },
    {
      ...WRITE,
      id: 'sortFeatureStrategies',
      method: 'post',
      path: `${PATH}/set-sort-order`,
      summary: 'Give strategies of a feature other positions',
      body: { schema: sortOrderSchema, example: [{ id: ID, sortOrder: 0 }] },
      answer: { status: 200, description: 'The strategies have the new order.' },
      run: withBody(compileGuard<SortOrder>(sortOrderSchema), (request, order) =>
        change(db, request, { action: 'reorderStrategy', order }),
      ),
    },
  ];
}

async function change(
  db: Postgres,
  request: AdminRequest,
  strategyChange: StrategyChange,
): Promise<Versioned> {
  const { caller, isCurrent } = request;
  const write = { ...placeOf(request), caller, isCurrent };
  const { version, result } = await inTransaction(db, (client) =>
    changeFeature(client, write, () => changeStrategies(client, write, strategyChange)),
  );
  return new Versioned(version, result);
}

function placeOf(request: AdminRequest) {
  return {
    project: nameParameter(request, 'projectId'),
    feature: nameParameter(request, 'featureName'),
    environment: nameParameter(request, 'environment'),
  };
}

function idOf({ parameters }: AdminRequest): string {
  return parameters['strategyId'] ?? '';
}
