import {
  type Intent,
  type LogMessage,
  decodeIntent,
  encodeIntent,
  findDiscontinuity,
  nextBlockEnd,
} from '#core/counting';
import { isSettled, violationOf, violationOfStep } from './exactly-once-invariants.ts';
import { BLOCKS, TABLES, receive, serverSteps, writesOf } from './exactly-once-server.ts';
import type { Model, Rules, State, Worker } from './exactly-once-state.ts';
import { createInsertRequests } from './insert-requests.ts';
import type { Machine, Step } from './state-space.ts';

const OUT: Worker = {
  phase: 'out',
  isOwner: false,
  from: 0,
  to: 0,
  metadata: '',
  known: [],
  life: 0,
  tried: undefined,
  missing: [],
  asked: undefined,
};
const ALL_TABLES = [...TABLES.keys()];

export type ModelOptions = {
  readonly log: readonly LogMessage[];
  readonly rules: Rules;
  /** Maximum number of kills of ClickHouse. */
  readonly kills?: number;
};

/** The worker protocol as a state machine. exactly-once-state.ts explains its states and steps. */
export function createModel({ log, rules, kills = 0 }: ModelOptions): Machine<State> {
  const model: Model = { log, rules, kills, requests: createInsertRequests(log) };
  return {
    start: {
      committed: { offset: 0, metadata: '' },
      workers: [OUT, OUT],
      sent: [],
      tables: TABLES.map(() => ({ parts: [], tokens: [] })),
      life: 0,
      torn: [],
    },
    steps: (state) => stepsOf(model, state),
    identityOf,
    violation: (state) => violationOf(model, state),
    stepViolation: violationOfStep,
    isFinal: (state) => isSettled(model, state),
  };
}

/** Two states are equal if they differ only in the order of the workers. */
function identityOf({ workers, tables, committed, sent, life, torn }: State): string {
  const [first = 0, second = 0] = workers.map(numberOf).sort((one, other) => one - other);
  const parts = [
    first,
    second,
    ...tables.map(numberOf),
    numberOf(committed),
    life,
    ...sent.map(numberOfText),
  ];
  return `${parts.join()};${torn.join()}`;
}

const numbers = new WeakMap<object, number>();
const numbersOfTexts = new Map<string, number>();

/** The number of the content of a part. Consecutive states share most of their parts, so the text of each is built once. */
function numberOf(part: object): number {
  const number = numbers.get(part) ?? numberOfText(JSON.stringify(part));
  numbers.set(part, number);
  return number;
}

function numberOfText(text: string): number {
  const number = numbersOfTexts.get(text) ?? numbersOfTexts.size;
  numbersOfTexts.set(text, number);
  return number;
}

function* stepsOf(model: Model, state: State): Iterable<Step<State>> {
  for (const [index, worker] of state.workers.entries()) {
    const name = `worker ${index + 1}`;
    for (const { label, worker: next, ...rest } of movesOf(model, state, worker)) {
      const workers = (rest.workers ?? state.workers).with(index, next);
      yield { label: `${name} ${label}`, next: { ...state, ...rest, workers } };
    }
  }
  yield* serverSteps(model, state);
}

/** The possible next steps of a worker, with their effects. */
type Move = Partial<State> & { readonly label: string; readonly worker: Worker };

function* movesOf(model: Model, state: State, worker: Worker): Iterable<Move> {
  const { phase } = worker;
  if (phase !== 'out' && phase !== 'stopped') yield { label: 'crashes', worker: OUT };
  if (phase === 'out') yield join(state);
  if (phase === 'ready') yield* choices(model, worker);
  if (phase === 'before') yield* commitBefore(model, worker);
  if (phase === 'insert') yield* send(model, state, worker);
  if (phase === 'waiting') yield { label: 'gets no answer', worker: inDoubt(worker) };
  if (phase === 'after') yield* commitAfter(model, worker);
  // A server that is about to die answers no one.
  if (state.torn.length > 0) return;
  if (phase === 'joined') yield load(model, state, worker);
  if (phase === 'doubt') yield openSession(state, worker);
  if (phase === 'look') yield look(model, state, worker);
}

function join({ committed, workers }: State): Move {
  const { offset, metadata } = committed;
  return {
    label: `joins at ${offset} with '${metadata}'`,
    worker: { ...OUT, phase: 'joined', isOwner: true, from: offset, metadata },
    workers: workers.map((other) => (other.isOwner ? { ...other, isOwner: false } : other)),
  };
}

/** Loads the stored blocks. If they do not fit the committed offset, the worker stops for an operator. */
function load(model: Model, { tables, life }: State, worker: Worker): Move {
  const { requests, rules } = model;
  const blocks = (tables[BLOCKS]?.parts ?? []).map((key) => requests.find(key));
  const storedTo = BigInt(Math.max(0, ...blocks.map(({ to }) => to)));
  const position = { committed: BigInt(worker.from), intent: intentOf(worker), storedTo };
  const problem = findDiscontinuity(position);
  if (problem !== undefined) {
    const hasLostPartition = rules.alarmsAsOwnerOnly && !worker.isOwner;
    return { label: `finds ${problem}`, worker: hasLostPartition ? OUT : { ...OUT, phase: 'stopped' } };
  }
  const earlier = blocks.filter(({ to }) => to <= worker.from || !rules.loadsEarlierBlocksOnly);
  const known = earlier.flatMap(({ batches }) => batches);
  return { label: 'loads', worker: { ...worker, phase: 'ready', known, life } };
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
    const to = Number(end);
    const next: Worker = { ...worker, to, metadata: '', missing: ALL_TABLES };
    const label = `chooses [${worker.from}, ${to})`;
    if (!rules.insertsBeforeCommit) yield { label, worker: { ...next, phase: 'after' } };
    else if (intent !== undefined) yield { label, worker: inDoubt(next) };
    else yield { label, worker: { ...next, phase: rules.writesIntent ? 'before' : 'insert' } };
  }
}

function* commitBefore({ rules }: Model, worker: Worker): Iterable<Move> {
  const committed = {
    offset: worker.from,
    metadata: encodeIntent({ to: BigInt(worker.to), at: 0 }),
  };
  if (isFenced(rules, worker)) yield { label: 'is rejected BEFORE', worker: OUT };
  else {
    yield { label: 'commits BEFORE, the answer is lost', worker, committed };
    yield { label: 'commits BEFORE', worker: { ...worker, phase: 'insert' }, committed };
  }
}

function isFenced({ brokerChecksOwner }: Rules, { isOwner }: Worker): boolean {
  return brokerChecksOwner && !isOwner;
}

function* send(model: Model, state: State, worker: Worker): Iterable<Move> {
  const { from, to, known, tried = 0 } = worker;
  const { key, token } = model.requests.build([from, to], known);
  const isLate = worker.tried === undefined && !model.rules.opensSessionBeforeIntent;
  for (const name of namesOfToken(model.rules, token, tried)) {
    const life = isLate ? state.life : worker.life;
    const next: Worker = { ...worker, phase: 'waiting', asked: { key, token: name }, life };
    yield { label: `sends ${name}`, worker: next, sent: receive(model, state, writesOf(next)) };
  }
}

/** The token of an attempt. There are several if the rule `agreesOnTokens` is disabled. */
function namesOfToken({ agreesOnTokens }: Rules, token: string, tried: number): string[] {
  if (tried === 0) return [token];
  return agreesOnTokens
    ? [`${token} again ${tried}`]
    : [`${token} again now`, `${token} again a second later`];
}

function inDoubt(worker: Worker): Worker {
  return { ...worker, phase: 'doubt', tried: undefined, missing: [], asked: undefined, life: 0 };
}

function openSession({ life }: State, worker: Worker): Move {
  return { label: `opens a session in life ${life}`, worker: { ...worker, phase: 'look', life, tried: 0 } };
}

/** Reads the markers to find the tables that miss the block, and chooses what to send to them. */
function look(model: Model, { tables }: State, worker: Worker): Move {
  const { rules } = model;
  const { tried = 0 } = worker;
  const isMarked = ALL_TABLES.map((index) => addedBy(model, tables, { worker, index }) > 0);
  const missing = ALL_TABLES.filter((index) => !rules.leavesOutWhatIsMarked || isMarked[index] === false);
  const tokens = rules.triesFurtherTokens ? Infinity : rules.triesAnotherToken ? 2 : 1;
  if (missing.length === 0 || tried === tokens || (tried > 0 && !rules.leavesOutWhatIsMarked))
    return {
      label: 'finds nothing missing',
      worker: { ...worker, phase: 'after', tried: undefined, missing: [] },
    };
  const names = missing.map((index) => TABLES[index]).join(', ');
  return { label: `finds ${names} missing`, worker: { ...worker, phase: 'insert', missing } };
}

type Part = { readonly worker: Worker; readonly index: number };

/** How many messages a table holds beyond those of earlier blocks. */
function addedBy({ requests }: Model, tables: State['tables'], { worker, index }: Part): number {
  const messages = (parts: readonly string[]): number =>
    parts.map((key) => requests.find(key)).reduce((sum, { from, to }) => sum + to - from, 0);
  const blocks = tables[BLOCKS]?.parts ?? [];
  const earlier = messages(blocks.filter((key) => requests.find(key).to <= worker.from));
  return messages(tables[index]?.parts ?? []) - earlier;
}

function* commitAfter(model: Model, worker: Worker): Iterable<Move> {
  const committed = { offset: worker.to, metadata: '' };
  if (isFenced(model.rules, worker)) yield { label: 'is rejected AFTER', worker: OUT };
  else {
    yield { label: 'commits AFTER, the answer is lost', worker, committed };
    const next: Worker = model.rules.insertsBeforeCommit
      ? moveOn(model, worker)
      : { ...worker, phase: 'insert' };
    yield { label: 'commits AFTER', worker: next, committed };
  }
}

/** The block is stored and committed. The worker remembers its batches and is ready for the next block. */
function moveOn({ requests, rules }: Model, worker: Worker): Worker {
  const { batches } = requests.build([worker.from, worker.to], worker.known);
  const known = rules.remembersBlocks ? [...worker.known, ...batches] : worker.known;
  return { ...worker, phase: 'ready', from: worker.to, to: 0, known, tried: undefined, missing: [] };
}
