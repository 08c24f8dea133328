import type { Model, Rules, State, Table, Worker } from './exactly-once-state.ts';
import type { Step } from './state-space.ts';

/** `blocks` may be filled before or after the tables of counts. The model has one table of counts for all of them. */
export const TABLES = ['usage_hourly', 'blocks'];
export const BLOCKS = TABLES.indexOf('blocks');

/**
 * A pending write of one view of an INSERT: the content of a block, and the server life in which its session was
 * opened.
 */
export type Pending = {
  readonly table: number;
  readonly token: string;
  readonly key: string;
  readonly life: number;
};

const parsed = new Map<string, Pending>();

export function parsePending(text: string): Pending {
  const pending = parsed.get(text) ?? (JSON.parse(text) as Pending);
  parsed.set(text, pending);
  return pending;
}

/** The server receives an INSERT. It may write each of the tables at any later time. */
export function receive({ rules }: Model, state: State, writes: readonly Pending[]): readonly string[] {
  const sent = new Set([...state.sent, ...writes.map((write) => JSON.stringify(write))]);
  return effective(rules, state, [...sent].sort());
}

/** The possible next steps of ClickHouse: write one table of any INSERT ever sent, answer, or die. */
export function* serverSteps(model: Model, state: State): Iterable<Step<State>> {
  const canDie = state.life < model.kills;
  for (const write of state.sent.map(parsePending)) {
    if (model.rules.insertsWithinOneLife && write.life !== state.life) continue;
    const label = `ClickHouse writes ${write.token} of life ${write.life} to ${TABLES[write.table] ?? ''}`;
    if (state.torn.length === 0) yield { label, next: execute(model, state, [write]) };
    if (canDie) yield* halfWrites(model, state, write);
  }
  if (state.torn.length === 0) yield* answers(model, state);
  if (canDie) {
    const next = { ...state, life: state.life + 1, torn: [] };
    yield {
      label: 'ClickHouse is killed',
      next: { ...next, sent: effective(model.rules, next, state.sent) },
    };
  }
}

function execute({ rules }: Model, state: State, writes: readonly Pending[]): State {
  let { tables } = state;
  for (const write of writes)
    tables = tables.map((table, index) => (index === write.table ? insert(rules, table, write) : table));
  const next = { ...state, tables };
  return { ...next, sent: effective(rules, next, state.sent) };
}

/** A table ignores a token that it remembers. */
function insert({ sendsToken }: Rules, table: Table, { key, token }: Pending): Table {
  if (sendsToken && table.tokens.includes(token)) return table;
  return { parts: [...table.parts, key].sort(), tokens: [...new Set([...table.tokens, token])].sort() };
}

/** Drops pending writes that can no longer change anything. */
function effective(rules: Rules, { tables, life }: State, sent: readonly string[]): readonly string[] {
  return sent.filter((text) => {
    const write = parsePending(text);
    const isKnown = rules.sendsToken && tables[write.table]?.tokens.includes(write.token) === true;
    return !isKnown && !(rules.insertsWithinOneLife && write.life !== life);
  });
}

/**
 * ClickHouse answers when all tables are written. If an unknown outcome counts as success, ClickHouse may answer at
 * any time.
 */
function* answers(model: Model, state: State): Iterable<Step<State>> {
  for (const [index, worker] of state.workers.entries()) {
    if (worker.phase !== 'waiting' || (model.rules.insertsWithinOneLife && worker.life !== state.life))
      continue;
    const writes = writesOf(worker);
    const done = model.rules.repeatsInDoubt ? [writes] : [writes, ...writes.map((write) => [write])];
    for (const some of done) {
      const next = execute(model, state, some);
      const workers = state.workers.with(index, answered(model, worker));
      yield { label: `ClickHouse answers worker ${index + 1}`, next: { ...next, workers } };
    }
  }
}

/** The writes of a worker's INSERT. */
export function writesOf({ missing, asked, life }: Worker): Pending[] {
  if (asked === undefined) return [];
  return missing.map((table) => ({ table, ...asked, life }));
}

function answered({ rules }: Model, worker: Worker): Worker {
  const next = { ...worker, asked: undefined, missing: [] };
  if (!rules.insertsBeforeCommit)
    return { ...next, phase: 'ready', from: worker.to, to: 0, tried: undefined };
  if (worker.tried === undefined) return { ...next, phase: 'after' };
  return { ...next, phase: 'look', tried: worker.tried + 1 };
}

/** Half of a write to a table: a killed server keeps either the token or the rows. */
function* halfWrites({ rules }: Model, state: State, write: Pending): Iterable<Step<State>> {
  const table = state.tables[write.table];
  if (table === undefined || state.torn.includes(write.table)) return;
  const halves: [string, Table][] = [
    ['the token alone', { ...table, tokens: [...table.tokens, write.token].sort() }],
    ['the rows alone', { ...table, parts: [...table.parts, write.key].sort() }],
  ];
  for (const [half, torn] of halves) {
    const tables = state.tables.with(write.table, torn);
    const next = { ...state, tables, torn: [...state.torn, write.table].sort((one, other) => one - other) };
    const label = `${TABLES[write.table] ?? ''} keeps ${half} of ${write.token}`;
    yield { label, next: { ...next, sent: effective(rules, next, state.sent) } };
  }
}
