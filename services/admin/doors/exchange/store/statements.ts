import type { PostgresClient } from '#base/postgres';

/** How the export document represents a table. */
export type Table = {
  readonly name: string;
  /** Each member is the column of the same name, unless `members` defines it differently. */
  readonly schema: { readonly properties: object };
  readonly order: string;
  readonly where?: string;
  /** Which records an import adds, of those that do not exist. */
  readonly addedIf?: string;
  readonly members?: Readonly<Record<string, Member>>;
};

export type Member = {
  /** The column that an import writes; without it an import ignores the member. */
  readonly column?: string;
  /** The type in the document, if it differs from the type of the column. */
  readonly type?: string;
  /** The SQL expression that an export reads; without it an export leaves the member out. */
  readonly read?: string;
  /**
   * The SQL expression that an import writes; the default is the member itself. `record` is the row of the document, `matched.users` has
   * the ids of its users by their uids.
   */
  readonly write?: string;
};

/** Selects the rows of a table in the form of the document. */
export function selectOf(table: Table): string {
  const columns = membersOf(table).flatMap(([name, { read }]) =>
    read === undefined ? [] : [`${read} as "${name}"`],
  );
  return `
    select ${columns.join(', ')}
    from ${table.name}
    where ${table.where ?? 'true'}
    order by ${table.order}`;
}

/**
 * Inserts the records of `$1` that do not exist yet; `$2` has the matched users. Absent members get the default of their column. Returns the first member
 * of each new row.
 */
export async function insertOf(client: PostgresClient, table: Table): Promise<string> {
  const columns = await columnsOf(client, table.name);
  const written = membersOf(table).flatMap(([name, { column = '', type, write = `record."${name}"` }]) => {
    const target = columns.get(column);
    if (target === undefined) return [];
    const value = target.default === null ? write : `coalesce(${write}, ${target.default})`;
    return [{ column: `"${column}"`, value, member: `"${name}" ${type ?? target.type}` }];
  });
  const listOf = (key: 'column' | 'value' | 'member') => written.map((one) => one[key]).join(', ');
  return `
    insert into ${table.name} (${listOf('column')})
    select ${listOf('value')}
    from jsonb_to_recordset($1) as record (${listOf('member')}),
      (select $2::jsonb as users) as matched
    where ${table.addedIf ?? 'true'}
    on conflict do nothing
    returning ${written[0]?.column ?? ''} as key`;
}

function membersOf({ schema, members = {} }: Table): [string, Member][] {
  const plain = Object.keys(schema.properties).map((name): [string, Member] => [
    name,
    { column: name, read: `"${name}"` },
  ]);
  return Object.entries({ ...Object.fromEntries(plain), ...members });
}

type Column = { readonly name: string; readonly type: string; readonly default: string | null };

async function columnsOf(client: PostgresClient, table: string): Promise<ReadonlyMap<string, Column>> {
  const { rows } = await client.query<Column>(
    `select
       attname as name,
       format_type(atttypid, atttypmod) as type,
       pg_get_expr(adbin, adrelid) as default
     from pg_attribute
     left join pg_attrdef on adrelid = attrelid and adnum = attnum
     where attrelid = $1::regclass
       and attnum > 0`,
    [table],
  );
  return new Map(rows.map((column) => [column.name, column]));
}
