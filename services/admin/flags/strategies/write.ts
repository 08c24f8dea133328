import { type Postgres, inTransaction } from '#base/postgres';
import { compileGuard } from '#base/schema';
import { Denial } from '../../denial.ts';
import { type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import {
  EXAMPLE,
  SELECT_STRATEGY,
  SELECT_VERSION,
  type StrategyRow,
  changeStrategy,
  found,
  versioned,
} from './rows.ts';
import {
  type NewStrategy,
  type Strategy,
  type StrategyUpdate,
  newStrategySchema,
  strategySchema,
  strategyUpdateSchema,
} from './schema.ts';

const PATH = '/api/admin/strategies';
const ONE = { description: 'The strategy.', schema: strategySchema, example: EXAMPLE } as const;

export function createStrategy(db: Postgres): Operation {
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
      inTransaction(db, async (client) => {
        const { rows } = await client.query<Strategy>(
          `insert into strategies (name, title, description, parameters)
           values ($1, $2, $3, $4)
           on conflict (name) do nothing
           returning ${SELECT_STRATEGY}`,
          [strategy.name, strategy.title, strategy.description, parametersOf(strategy)],
        );
        const [created] = rows;
        if (created === undefined)
          throw new Denial('NameExistsError', 'A strategy with this name already exists.');
        await recordEvent(client, { type: 'strategy-created', caller, data: created });
        return created;
      }),
    ),
  };
}

export function updateStrategy(db: Postgres): Operation {
  return {
    id: 'updateStrategy',
    scope: 'installation',
    method: 'put',
    path: `${PATH}/{strategyName}`,
    tag: 'Strategies',
    summary: 'Replace the definition of a custom strategy type',
    permission: 'EDIT_STRATEGIES',
    isVersioned: true,
    ifMatch: 'optional',
    body: {
      schema: strategyUpdateSchema,
      example: { description: 'On in some countries', parameters: [{ name: 'countries', type: 'list' }] },
    },
    answer: { status: 200, ...ONE },
    problems: [404, 409],
    run: withBody(compileGuard<StrategyUpdate>(strategyUpdateSchema), (request, update) => {
      const { caller } = request;
      const name = nameParameter(request, 'strategyName');
      return changeStrategy(db, request, async (client, before) => {
        const { rows } = await client.query<StrategyRow>(
          `update strategies
           set title = $2, description = $3, parameters = $4
           where name = $1
           returning ${SELECT_VERSION}`,
          [name, update.title, update.description, parametersOf(update)],
        );
        const row = found(rows[0]);
        const { version: _, ...data } = row;
        await recordEvent(client, { type: 'strategy-updated', caller, data, preData: before });
        return versioned(row);
      });
    }),
  };
}

function parametersOf({ parameters }: StrategyUpdate): string {
  return JSON.stringify(
    parameters.map(({ name, type, description = '', required = false }) => ({
      name,
      type,
      description,
      required,
    })),
  );
}
