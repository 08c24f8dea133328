import type { Postgres } from '#base/postgres';

type Statement = { readonly text: string; readonly values: readonly unknown[] };

/** A node of a Postgres query plan after execution. */
export type PlanNode = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
};

/** Records the statements sent through a pool while `work` runs. */
export async function statementsOf(pool: Postgres, work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const restore: (() => void)[] = [];
  const note = (client: { query: unknown }): void => {
    const original = client.query as (...parameters: unknown[]) => unknown; // only passed on
    client.query = (...parameters: unknown[]) => {
      const [text, values] = parameters;
      if (typeof text === 'string')
        statements.push({ text, values: Array.isArray(values) ? (values as unknown[]) : [] });
      return original.apply(client, parameters);
    };
    restore.unshift(() => {
      client.query = original;
    });
  };
  pool.on('acquire', note);
  try {
    await work();
    return statements;
  } finally {
    pool.off('acquire', note);
    for (const undo of restore) undo();
  }
}

/** All nodes of the plan of an executed statement. */
export async function planOf(pool: Postgres, { text, values }: Statement): Promise<PlanNode[]> {
  const { rows } = await pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${text}`,
    [...values],
  );
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  return plan === undefined ? [] : flatten(plan);
}

function flatten(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(flatten)];
}

/** The number of rows that a node read. */
export function rowsReadBy(node: PlanNode): number {
  return (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
}
