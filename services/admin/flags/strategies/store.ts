import {
  type Pages,
  type Postgres,
  type PostgresClient,
  inTransaction,
  mapPages,
  pageOf,
  readPages,
} from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notFound, notPermitted, ownedByUnleash } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import type { NewStrategy, Strategy, StrategyUpdate } from './schema.ts';

type StrategyRow = {
  title: string | null;
  name: string;
  display_name: string | null;
  description: string | null;
  built_in: boolean;
  deprecated: boolean;
  parameters: Strategy['parameters'];
};

const COLUMNS = 'title, name, display_name, description, built_in, deprecated, parameters';

type ListedRow = StrategyRow & { sort_order: number; size_bytes: number };

const PAGE = pageOf({
  from: `
    select
      ${COLUMNS}, sort_order,
      octet_length(parameters::text) + coalesce(octet_length(description), 0) as size_bytes
    from strategies
    where (sort_order, name) > ($1, $2)
      and vanished_at is null`,
  order: 'sort_order, name',
});

export type Strategies = ReturnType<typeof createStrategies>;

/** Strategy types with the keys of the API (docs/use/contract.md#change-requests-feedback-strategies-and-events). Built-in ones cannot be changed. */
export function createStrategies({ db, lists }: AdminPools) {
  return {
    async list(): Promise<Pages<Strategy>> {
      const pages = await readPages<ListedRow>(async (last) => {
        const { rows } = await lists.query<ListedRow>(PAGE, [last?.sort_order ?? -1, last?.name ?? '']);
        return rows;
      });
      return mapPages(pages, toStrategy);
    },

    async find(name: string): Promise<Strategy> {
      const { rows } = await db.query<StrategyRow>(`select ${COLUMNS} from strategies where name = $1`, [
        name,
      ]);
      return found(rows.map(toStrategy)[0]);
    },

    create: (strategy: NewStrategy, caller: Caller): Promise<Strategy> =>
      inTransaction(db, async (client) => {
        const { rows } = await client.query<StrategyRow>(
          `insert into strategies (name, title, description, parameters)
           values ($1, $2, $3, $4)
           on conflict (name) do nothing
           returning ${COLUMNS}`,
          [strategy.name, strategy.title, strategy.description, parametersOf(strategy)],
        );
        const created = rows.map(toStrategy)[0];
        if (created === undefined)
          throw new Denial('NameExistsError', 'A strategy with this name already exists.');
        await recordEvent(client, { type: 'strategy-created', caller, data: created });
        return created;
      }),

    update: (name: string, update: StrategyUpdate, caller: Caller): Promise<Strategy> =>
      change(db, name, async (client, before) => {
        const { rows } = await client.query<StrategyRow>(
          `update strategies
           set title = $2, description = $3, parameters = $4
           where name = $1
           returning ${COLUMNS}`,
          [name, update.title, update.description, parametersOf(update)],
        );
        const after = rows.map(toStrategy)[0] ?? before;
        await recordEvent(client, { type: 'strategy-updated', caller, data: after, preData: before });
        return after;
      }),

    /** Deprecates or reactivates a strategy. It is idempotent: a repetition writes no second event. */
    setDeprecated: (name: string, deprecated: boolean, caller: Caller): Promise<Strategy> =>
      change(db, name, async (client, before) => {
        if (before.deprecated === deprecated) return before;
        await client.query('update strategies set deprecated = $2 where name = $1', [name, deprecated]);
        const type = deprecated ? 'strategy-deprecated' : 'strategy-reactivated';
        await recordEvent(client, { type, caller, data: { name }, preData: before });
        return { ...before, deprecated };
      }),

    delete: (name: string, caller: Caller): Promise<Strategy> =>
      change(db, name, async (client, before) => {
        await client.query('delete from strategies where name = $1', [name]);
        await recordEvent(client, { type: 'strategy-deleted', caller, preData: before });
        return before;
      }),
  };
}

/** Locks the row of a custom strategy and runs `work` on it. */
function change(
  db: Postgres,
  name: string,
  work: (client: PostgresClient, before: Strategy) => Promise<Strategy>,
): Promise<Strategy> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<StrategyRow & { source: string }>(
      `select ${COLUMNS}, source
       from strategies
       where name = $1
       for update`,
      [name],
    );
    const before = found(rows.map(toStrategy)[0]);
    if (rows[0]?.source === 'unleash') throw ownedByUnleash('this strategy');
    if (!before.editable) throw notPermitted('Built-in strategies cannot be changed.');
    return work(client, before);
  });
}

function found(strategy: Strategy | undefined): Strategy {
  if (strategy === undefined) throw notFound('There is no such strategy.');
  return strategy;
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

function toStrategy(row: StrategyRow): Strategy {
  const { title, name, description, deprecated, parameters } = row;
  return {
    title,
    name,
    displayName: row.display_name,
    description,
    editable: !row.built_in,
    deprecated,
    parameters,
  };
}
