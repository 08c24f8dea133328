import { parsePending } from './exactly-once-server.ts';
import type { Model, State } from './exactly-once-state.ts';

/** The violation by a step from one state to another; undefined if all promises hold. */
export function violationOfStep({ committed }: State, before: State): string | undefined {
  if (committed.offset >= before.committed.offset) return undefined;
  return `the committed offset goes back from ${before.committed.offset} to ${committed.offset}`;
}

/** The violation in a state; undefined if all promises hold. */
export function violationOf(model: Model, state: State): string | undefined {
  const { sent } = state;
  const tables = state.tables.map(({ parts }) => parts);
  if (tables.some((table) => countsOf(model, table).some(([, count]) => count > 1))) {
    return `counted twice: ${JSON.stringify(tables)}`;
  }
  const contents = new Set([...sent.map((text) => parsePending(text).key), ...tables.flat()]);
  if (new Set(Array.from(contents, (key) => model.requests.find(key).token)).size < contents.size) {
    return `one token for two contents: ${[...contents].join(', ')}`;
  }
  if (!isSettled(model, state)) return undefined;
  return problemAtTheEnd(model, tables);
}

/** Whether the log is fully committed and no worker is processing a block. */
export function isSettled({ log }: Model, { committed, workers }: State): boolean {
  if (committed.offset < log.length || committed.metadata !== '') return false;
  return workers.every(({ phase, from }) => phase === 'out' || (phase === 'ready' && from === log.length));
}

function problemAtTheEnd(model: Model, tables: readonly (readonly string[])[]): string | undefined {
  const all = everyBatchOnce(model);
  for (const table of tables) {
    if (JSON.stringify(countsOf(model, table)) !== all)
      return `lost: ${JSON.stringify(tables)}, expected ${all}`;
    if (!isTiled(model, table)) return `blocks do not tile the log: ${table.join(', ')}`;
  }
  return undefined;
}

/** The features of a table, with the count of each. */
function countsOf({ requests }: Model, table: readonly string[]): [feature: string, count: number][] {
  const sums = new Map<string, number>();
  for (const key of table) {
    for (const [feature, count] of requests.find(key).counts)
      sums.set(feature, (sums.get(feature) ?? 0) + count);
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The expected content: the whole log as one block. Every way of cutting the log must give the same. */
function everyBatchOnce({ log, requests }: Model): string {
  return JSON.stringify([...requests.build([0, log.length], []).counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function isTiled({ log, requests }: Model, table: readonly string[]): boolean {
  const blocks = table.map((key) => requests.find(key)).sort((a, b) => a.from - b.from);
  return (
    blocks.every(({ to }, index) => to === (blocks[index + 1]?.from ?? log.length)) && blocks[0]?.from === 0
  );
}
