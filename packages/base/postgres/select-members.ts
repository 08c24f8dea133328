import { snakeCase } from '#base/runtime';
import { isoTime } from './times.ts';

type Members<Name extends string> = {
  /** Schemas of the members. */
  readonly properties: Readonly<Record<Name, object>>;
};

export type SelectOptions<Name extends string> = {
  /** SQL of the members that are not a column of the same name in snake case. */
  readonly sql?: Readonly<Partial<Record<Name, string>>>;
  /** The name of the table in the statement. */
  readonly table?: string;
};

/**
 * Selects what a schema lists, each member under its name, so that a row is the record that the schema describes. Times are text as in
 * JSON, to the millisecond.
 */
export function selectMembers<const Name extends string>(
  { properties }: Members<Name>,
  { sql, table }: SelectOptions<NoInfer<Name>> = {},
): string {
  const given: Readonly<Partial<Record<string, string>>> = sql ?? {};
  const prefix = table === undefined ? '' : `${table}.`;
  const columns = Object.entries<object>(properties).map(([name, schema]) => {
    const column = given[name] ?? `${prefix}${snakeCase(name)}`;
    return `${isTime(schema) ? isoTime(column) : column} as "${name}"`;
  });
  return columns.join(', ');
}

/** Leaves out the columns that only the statement needed. */
export function onlyMembers<Row extends object, Name extends string & keyof Row>(
  { properties }: Members<Name>,
  row: Row,
): Pick<Row, Name> {
  const names = Object.keys(properties) as Name[]; // the keys of a schema
  return Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>; // one entry for each name
}

function isTime(schema: object): boolean {
  return 'format' in schema && schema.format === 'date-time';
}
