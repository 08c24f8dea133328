import { type Pages, type Postgres, mapPages, onlyMembers, pageOf, readPages } from '#base/postgres';
import { LongList } from '../../http/answers/stream-list.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { EXAMPLE, SELECT_STRATEGY, SELECT_VERSION, type StrategyRow, found, versioned } from './rows.ts';
import { type Strategy, strategiesSchema, strategySchema } from './schema.ts';
import { stateOperations } from './states.ts';
import { createStrategy, updateStrategy } from './write.ts';

const PATH = '/api/admin/strategies';

/** Strategy types with the keys of the API (docs/use/senders/contract.md#change-requests-feedback-strategies-and-events). Built-in ones cannot be changed. */
export function strategyOperations({ db, lists }: AdminPools): Operation[] {
  return [
    {
      id: 'listStrategies',
      scope: 'shared',
      queue: 'lists',
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
        new LongList(await listStrategies(lists), { head: '{"version":1,"strategies":[', tail: () => ']}' }),
    },
    {
      id: 'getStrategy',
      scope: 'shared',
      method: 'get',
      path: `${PATH}/{strategyName}`,
      tag: 'Strategies',
      summary: 'One strategy type',
      permission: 'READ',
      isVersioned: true,
      answer: { status: 200, description: 'The strategy.', schema: strategySchema, example: EXAMPLE },
      problems: [404],
      async run(request) {
        const { rows } = await db.query<StrategyRow>(
          `select ${SELECT_VERSION} from strategies where name = $1`,
          [nameParameter(request, 'strategyName')],
        );
        return versioned(found(rows[0]));
      },
    },
    createStrategy(db),
    updateStrategy(db),
    ...stateOperations(db),
  ];
}

type ListedRow = Strategy & { sort_order: number; size_bytes: number };

const PAGE = pageOf({
  from: `
    select
      ${SELECT_STRATEGY}, sort_order,
      octet_length(parameters::text) + coalesce(octet_length(description), 0) as size_bytes
    from strategies
    where (sort_order, name) > ($1, $2)
      and vanished_at is null`,
  order: 'sort_order, name',
});

export async function listStrategies(lists: Postgres): Promise<Pages<Strategy>> {
  const pages = await readPages<ListedRow>(async (last) => {
    const { rows } = await lists.query<ListedRow>(PAGE, [last?.sort_order ?? -1, last?.name ?? '']);
    return rows;
  });
  return mapPages(pages, (row) => onlyMembers(strategySchema, row));
}
