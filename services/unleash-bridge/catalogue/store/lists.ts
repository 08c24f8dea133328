import type { Postgres } from '#base/postgres';
import type { UnleashEnvironment, UnleashProject, UnleashStrategy } from '#unleash/client';

type Column = readonly [name: string, type: string];

/** A table for a list that Unleash returns as a whole. */
type ListedTable = {
  readonly name: string;
  readonly key: string;
  readonly columns: readonly Column[];
  /** The change to a row that is no longer listed. */
  readonly vanished?: string;
};

const PROJECTS: ListedTable = {
  name: 'projects',
  key: 'id',
  columns: [
    ['id', 'text'],
    ['name', 'text'],
    ['description', 'text'],
    ['created_at', 'timestamptz'],
  ],
};

const ENVIRONMENTS: ListedTable = {
  name: 'environments',
  key: 'name',
  columns: [
    ['name', 'text'],
    ['type', 'text'],
    ['enabled', 'boolean'],
    ['sort_order', 'integer'],
  ],
  vanished: 'enabled = false',
};

const STRATEGIES: ListedTable = {
  name: 'strategies',
  key: 'name',
  columns: [
    ['name', 'text'],
    ['display_name', 'text'],
    ['title', 'text'],
    ['description', 'text'],
    ['built_in', 'boolean'],
    ['deprecated', 'boolean'],
    ['parameters', 'jsonb'],
    ['sort_order', 'integer'],
  ],
};

export async function storeProjects(db: Postgres, projects: readonly UnleashProject[]): Promise<void> {
  await storeList(
    db,
    PROJECTS,
    projects.map(({ id, name, description = null, createdAt }) => ({
      id,
      name,
      description,
      created_at: createdAt,
    })),
  );
}

export async function storeEnvironments(
  db: Postgres,
  environments: readonly UnleashEnvironment[],
): Promise<void> {
  await storeList(
    db,
    ENVIRONMENTS,
    environments.map(({ name, type, enabled, sortOrder = 9999 }) => ({
      name,
      type,
      enabled,
      sort_order: sortOrder,
    })),
  );
}

/** The order of strategies is only given by the order of the list. */
export async function storeStrategies(db: Postgres, strategies: readonly UnleashStrategy[]): Promise<void> {
  await storeList(
    db,
    STRATEGIES,
    strategies.map((strategy, index) => ({
      name: strategy.name,
      display_name: strategy.displayName ?? null,
      title: strategy.title ?? null,
      description: strategy.description ?? null,
      built_in: strategy.editable === false,
      deprecated: strategy.deprecated === true,
      parameters: strategy.parameters,
      sort_order: index,
    })),
  );
}

/**
 * Makes a table equal to the list of Unleash, in one statement that writes only differences. It marks rows of Unleash that are
 * no longer listed. Unleash becomes the owner of a row of ours with the same key.
 */
async function storeList(db: Postgres, table: ListedTable, rows: readonly object[]): Promise<void> {
  const { name, key, columns, vanished } = table;
  const names = columns.map(([column]) => column);
  const values = names.filter((column) => column !== key);
  await db.query(
    `with listed as (
       select ${names.join(', ')}
       from jsonb_to_recordset($1) as row (${columns.map((column) => column.join(' ')).join(', ')})
     ),
     stored as (
       insert into ${name} as known (${names.join(', ')}, source)
       select ${names.join(', ')}, 'unleash'
       from listed
       order by ${key}
       on conflict (${key}) do update
       set ${values.map((column) => `${column} = excluded.${column}`).join(', ')}, source = 'unleash', vanished_at = null
       where (${values.map((column) => `known.${column}`).join(', ')}, known.source, known.vanished_at)
         is distinct from (${values.map((column) => `excluded.${column}`).join(', ')}, 'unleash', null)
     )
     update ${name} as known
     set vanished_at = now()${vanished === undefined ? '' : `, ${vanished}`}
     where known.source = 'unleash'
       and known.vanished_at is null
       and not exists (select from listed where listed.${key} = known.${key})`,
    [JSON.stringify(rows)],
  );
}
