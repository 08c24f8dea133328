import { compileGuard } from '#base/schema';
import { type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import {
  type NewStrategy,
  type StrategyUpdate,
  newStrategySchema,
  strategiesSchema,
  strategySchema,
  strategyUpdateSchema,
} from './schema.ts';
import type { Strategies } from './store.ts';

const EXAMPLE = {
  title: null,
  name: 'by-country',
  displayName: null,
  description: 'On in some countries',
  editable: true,
  deprecated: false,
  parameters: [{ name: 'countries', type: 'list', description: 'ISO codes', required: true }],
};

const PATH = '/api/admin/strategies';
const ONE = { description: 'The strategy.', schema: strategySchema, example: EXAMPLE } as const;

export function strategyOperations(strategies: Strategies): Operation[] {
  return [
    {
      id: 'listStrategies',
      scope: 'shared',
      room: 'lists',
      method: 'get',
      path: PATH,
      tag: 'Strategies',
      summary: 'All strategy types, built-in and custom',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The strategies.',
        schema: strategiesSchema,
        example: { version: 1, strategies: [EXAMPLE] },
      },
      run: async () =>
        new LongList(await strategies.list(), { head: '{"version":1,"strategies":[', tail: () => ']}' }),
    },
    {
      id: 'getStrategy',
      scope: 'shared',
      method: 'get',
      path: `${PATH}/{strategyName}`,
      tag: 'Strategies',
      summary: 'One strategy type',
      permission: 'READ',
      answer: { status: 200, ...ONE },
      problems: [404],
      run: (request) => strategies.find(nameParameter(request, 'strategyName')),
    },
    createStrategy(strategies),
    updateStrategy(strategies),
    ...stateOperations(strategies),
  ];
}

function createStrategy(strategies: Strategies): Operation {
  return {
    id: 'createStrategy',
    scope: 'installation',
    method: 'post',
    path: PATH,
    tag: 'Strategies',
    summary: 'Create a custom strategy type',
    permission: 'EDIT_STRATEGIES',
    body: {
      schema: newStrategySchema,
      example: { name: 'by-country', parameters: [{ name: 'countries', type: 'list', required: true }] },
    },
    answer: { status: 201, ...ONE },
    problems: [409],
    run: withBody(compileGuard<NewStrategy>(newStrategySchema), ({ caller }, strategy) =>
      strategies.create(strategy, caller),
    ),
  };
}

function updateStrategy(strategies: Strategies): Operation {
  return {
    id: 'updateStrategy',
    scope: 'installation',
    method: 'put',
    path: `${PATH}/{strategyName}`,
    tag: 'Strategies',
    summary: 'Replace the definition of a custom strategy type',
    permission: 'EDIT_STRATEGIES',
    body: {
      schema: strategyUpdateSchema,
      example: { description: 'On in some countries', parameters: [{ name: 'countries', type: 'list' }] },
    },
    answer: { status: 200, ...ONE },
    problems: [404, 409],
    run: withBody(compileGuard<StrategyUpdate>(strategyUpdateSchema), (request, update) =>
      strategies.update(nameParameter(request, 'strategyName'), update, request.caller),
    ),
  };
}

/** Changes without a body; each is idempotent. */
function stateOperations(strategies: Strategies): Operation[] {
  const common = { tag: 'Strategies', permission: 'EDIT_STRATEGIES', problems: [404, 409] } as const;
  return [
    {
      ...common,
      id: 'deprecateStrategy',
      scope: 'installation',
      method: 'post',
      path: `${PATH}/{strategyName}/deprecate`,
      summary: 'Mark a custom strategy type as deprecated',
      answer: { status: 200, description: 'The strategy is deprecated.' },
      async run(request) {
        await strategies.setDeprecated(nameParameter(request, 'strategyName'), true, request.caller);
      },
    },
    {
      ...common,
      id: 'reactivateStrategy',
      scope: 'installation',
      method: 'post',
      path: `${PATH}/{strategyName}/reactivate`,
      summary: 'Reactivate a deprecated custom strategy type',
      answer: { status: 200, description: 'The strategy is not deprecated.' },
      async run(request) {
        await strategies.setDeprecated(nameParameter(request, 'strategyName'), false, request.caller);
      },
    },
    {
      ...common,
      id: 'deleteStrategy',
      scope: 'installation',
      method: 'delete',
      path: `${PATH}/{strategyName}`,
      summary: 'Delete a custom strategy type',
      answer: { status: 200, description: 'The strategy is deleted.' },
      async run(request) {
        await strategies.delete(nameParameter(request, 'strategyName'), request.caller);
      },
    },
  ];
}
