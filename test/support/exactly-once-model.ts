import {
  type Intent,
  type LogMessage,
  decodeIntent,
  encodeIntent,
  findDiscontinuity,
  nextBlockEnd,
} from '#domain';
import { violationOf, isSettled } from './exactly-once-invariants.ts';
import type { Model, Rules, State, Worker } from './exactly-once-state.ts';
import { type InsertRequest, createInsertRequests } from './insert-requests.ts';
import type { Machine, Step } from './state-space.ts';

/** The view that fills `blocks` may run before and after others. */
const TABLES = ['usage_hourly', 'blocks', 'usage_daily'];
const BLOCKS = TABLES.indexOf('blocks');
const OUT: Worker = { phase: 'out', isOwner: false, from: 0, to: 0, metadata: '', known: [] };

/** The worker protocol as a machine; exactly-once-state.ts says what its states and steps are. */
export function createModel(log: readonly LogMessage[], rules: Rules): Machine<State> {
  const model: Model = { log, rules, requests: createInsertRequests(log) };
  return {
    start: {
      committed: { offset: 0, metadata: '' },
      workers: [OUT, OUT],
      sent: [],
      tables: TABLES.map(() => []),
    },
    steps: (state) => stepsOf(model, state),
    identityOf,
    violation: (state, before) => violationOf(model, state, before),
    isFinal: (state) => isSettled(model, state),
  };
}

/** Two states that differ only in which worker is which are one. */
function identityOf({ workers, ...rest }: State): string {
  return [JSON.stringify(rest), ...workers.map((worker) => JSON.stringify(worker)).sort()].join();
}

function* stepsOf(model: Model, state: State): Iterable<Step<State>> {
  for (const [index, worker] of state.workers.entries()) {
    const name = `worker ${index + 1}`;
    for (const { label, worker: next, ...rest } of movesOf(model, state, worker)) {
      const workers = (rest.workers ?? state.workers).with(index, next);
      yield { label: `${name} ${label}`, next: { ...state, ...rest, workers } };
    }
  }
  for (const key of state.sent) yield* executions(model, state, model.requests.find(key));
}

/** What a worker does next, with what that changes around it. */
type Move = Partial<State> & { readonly label: string; readonly worker: Worker };

function* movesOf(model: Model, state: State, worker: Worker): Iterable<Move> {
  if (worker.phase !== 'out' && worker.phase !== 'stopped') yield { label: 'crashes', worker: OUT };
  if (worker.phase === 'out') yield join(state);
  if (worker.phase === 'joined') yield load(model, state, worker);
  if (worker.phase === 'ready') yield* choices(model, worker);
  if (worker.phase === 'before') yield* commitBefore(model, worker);
  if (worker.phase === 'insert') yield send(model, state, worker);
  if (worker.phase === 'after') yield* commitAfter(model, worker);
}

function join({ committed, workers }: State): Move {
  const { offset, metadata } = committed;
  return {
    label: `joins at ${offset} with '${metadata}'`,
    worker: { ...OUT, phase: 'joined', isOwner: true, from: offset, metadata },
    workers: workers.map((other) => ({ ...other, isOwner: false })),
  };
}

/** Reads the stored blocks. One that does not fit the committed offset stops the worker until a person looks. */
function load({ requests, rules }: Model, { tables }: State, worker: Worker): Move {
  const blocks = (tables[BLOCKS] ?? []).map((key) => requests.find(key));
  const storedTo = blocks.length === 0 ? undefined : BigInt(Math.max(...blocks.map(({ to }) => to)));
  const standing = { committed: BigInt(worker.from), intent: intentOf(worker), storedTo };
  const problem = findDiscontinuity(standing);
  if (problem !== undefined) {
    const wasTaken = rules.alarmsAsOwnerOnly && !worker.isOwner;
    return { label: `finds ${problem}`, worker: wasTaken ? OUT : { ...OUT, phase: 'stopped' } };
  }
  const earlier = blocks.filter(({ to }) => to <= worker.from || !rules.loadsEarlierBlocksOnly);
  const known = earlier.flatMap(({ batches }) => batches);
  return { label: 'loads', worker: { ...worker, phase: 'ready', known } };
}

function intentOf({ metadata }: Worker): Intent | undefined {
  const intent = decodeIntent(metadata);
  if (intent === 'unknown') throw new Error(`unknown metadata ${metadata}`);
  return intent;
}

function* choices({ log, rules }: Model, worker: Worker): Iterable<Move> {
  const intent = rules.heedsIntent ? intentOf(worker) : undefined;
  const from = BigInt(worker.from);
  for (let position = worker.from + 1; position <= log.length; position += 1) {
    const fetched = { from, position: BigInt(position), messages: log.slice(worker.from, position) };
    const end = nextBlockEnd(fetched, intent, { maxMessages: 100, maxBytes: 1_000_000 });
    if (end === undefined) continue;
    const phase = !rules.insertsBeforeCommit ? 'after' : intent || !rules.writesIntent ? 'insert' : 'before';
    const to = Number(end);
    yield { label: `chooses [${worker.from}, ${to})`, worker: { ...worker, phase, to, metadata: '' } };
  }
}

function* commitBefore({ rules }: Model, worker: Worker): Iterable<Move> {
  const committed = {
    offset: worker.from,
    metadata: encodeIntent({ to: BigInt(worker.to), at: 0, leavesMarks: true }),
  };
  if (isFenced(rules, worker)) yield { label: 'is refused BEFORE', worker: OUT };
  else {
    yield { label: 'commits BEFORE, the answer is lost', worker, committed };
    yield { label: 'commits BEFORE', worker: { ...worker, phase: 'insert' }, committed };
  }
}

function isFenced({ brokerChecksOwner }: Rules, { isOwner }: Worker): boolean {
  return brokerChecksOwner && !isOwner;
}

function send({ requests }: Model, { sent }: State, worker: Worker): Move {
  const { key } = requests.build([worker.from, worker.to], worker.known);
  return {
    label: `sends ${key}`,
    worker: { ...worker, phase: 'waiting' },
    sent: [...new Set([...sent, key])].sort(),
  };
}

function* commitAfter(model: Model, worker: Worker): Iterable<Move> {
  const committed = { offset: worker.to, metadata: '' };
  if (isFenced(model.rules, worker)) yield { label: 'is refused AFTER', worker: OUT };
  else {
    yield { label: 'commits AFTER, the answer is lost', worker, committed };
    const next: Worker = model.rules.insertsBeforeCommit
      ? moveOn(model, worker)
      : { ...worker, phase: 'insert' };
    yield { label: 'commits AFTER', worker: next, committed };
  }
}

/** The block is stored and committed: the worker remembers its batches and is ready for the next one. */
function moveOn({ requests, rules }: Model, worker: Worker): Worker {
  const { batches } = requests.build([worker.from, worker.to], worker.known);
  const known = rules.remembersBlocks ? [...worker.known, ...batches] : worker.known;
  return { ...worker, phase: 'ready', from: worker.to, to: 0, known };
}

/** ClickHouse executes a request: one view alone (repeats make any set of them) or all, and perhaps it answers. */
function* executions(model: Model, state: State, request: InsertRequest): Iterable<Step<State>> {
  yield* run(model, state, {
    request,
    tables: state.tables.map((table) => insert(model, table, request)),
    views: 'all',
  });
  for (const [view, table] of state.tables.entries()) {
    const tables = state.tables.with(view, insert(model, table, request));
    yield* run(model, state, { request, tables, views: TABLES[view] ?? '' });
  }
}

type Execution = Pick<State, 'tables'> & { readonly request: InsertRequest; readonly views: string };

function* run(model: Model, state: State, { request, tables, views }: Execution): Iterable<Step<State>> {
  const label = `ClickHouse runs ${request.key} into ${views}`;
  yield { label: `${label}, the answer is lost`, next: { ...state, tables } };
  // A partial execution answers with an error: the worker sends the same request again, which is where it stands.
  if (views !== 'all' && model.rules.repeatsInDoubt) return;
  for (const [index, worker] of state.workers.entries()) {
    if (worker.phase !== 'waiting' || keyOf(model, worker) !== request.key) continue;
    const workers = state.workers.with(index, answered(model, worker));
    yield { label: `${label} and answers worker ${index + 1}`, next: { ...state, tables, workers } };
  }
}

function answered({ rules }: Model, worker: Worker): Worker {
  return rules.insertsBeforeCommit
    ? { ...worker, phase: 'after' }
    : { ...worker, phase: 'ready', from: worker.to, to: 0 };
}

function keyOf({ requests }: Model, { from, to, known }: Worker): string {
  return requests.build([from, to], known).key;
}

/** Each table recognises a token that it has taken already. */
function insert(
  { requests, rules }: Model,
  table: readonly string[],
  request: InsertRequest,
): readonly string[] {
  const isKnown = table.some((key) => requests.find(key).token === request.token);
  return isKnown && rules.sendsToken ? table : [...table, request.key].sort();
}
