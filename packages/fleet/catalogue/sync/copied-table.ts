/**
 * A table of Postgres with a copy in ClickHouse. Both have the column `revision`, which Postgres draws at random for each new row and again
 * with each change of a row. Only revisions are compared. So neither a clock nor a number that Postgres gives again after a restore decides
 * what is copied.
 */
export type CopiedTable<Row = never> = {
  /** For log lines. */
  readonly name: string;
  readonly table: string;
  readonly copies: string;
  /** Columns by which a row stays the same one, in both engines, with their types in Postgres. */
  readonly identity: Readonly<Record<string, string>>;
  /** SQL: the columns of a copy, with `size_bytes`. The table is `t`. */
  readonly columns: string;
  /** SQL: what they need beside the table. */
  readonly joins?: string;
  /** Whether rows only get ascending ids and never change. Otherwise any row may change. */
  readonly appended?: Appended;
  readonly toCopy: (row: Row) => object;
};

type Appended = {
  /** The column by which ClickHouse deletes rows after 25 months. Older rows are not compared. */
  readonly time: string;
  /** SQL: the rows of Postgres to copy. */
  readonly where: string;
  /** SQL: a condition on the groups of rows with the same revision that are compared in ClickHouse. */
  readonly having: string;
};

/** Ids from `from` on and before `to`. */
export type IdRange = { readonly from: bigint; readonly to: bigint };
