import { COUNTS } from '../names.ts';
import type { BlockRow, CounterState } from './content.ts';
import type { ClickHouseServer } from './server.ts';

export type Params = Readonly<Record<string, unknown>>;
type Row = Readonly<Record<string, unknown>>;
type Answer = (server: ClickHouseServer, params: Params, query: string) => Row[];

const WINDOW = 20_000;
const PAGE = 1000;

/**
 * The queries of the counting path, by how they begin, and how ClickHouse answers them. A query that is not listed is an error, so
 * that the simulation cannot silently differ from the code.
 */
const STATEMENTS: readonly (readonly [begins: string, answer: Answer])[] = [
  [
    'select count() as replicated from system.tables',
    ({ shared }) => [{ replicated: shared === undefined ? '0' : '1' }],
  ],
  ['with ( select toUInt32OrZero(extract(engine_full,', () => [{ compared_from: '1970-01-01' }]],
  [
    'select name from system.tables',
    ({ shared }, { tables }) =>
      shared === undefined || !Array.isArray(tables) ? [] : tables.map((name) => ({ name: String(name) })),
  ],
  [
    'select max(epoch) as epoch from topic_epochs',
    ({ epoch }, { topic }) => [{ epoch: topic === COUNTS ? epoch : 0 }],
  ],
  [
    'select max(to_offset) as stored_to from blocks',
    (server, params) => [{ stored_to: String(storedTo(server, params)) }],
  ],
  ['select from_offset, to_offset, dead from blocks', deadBlocks],
  ['select from_offset, to_offset, toUnixTimestamp64Milli(appended_to) as appended from blocks', lastBlocks],
  [
    'select from_offset, to_offset, toUnixTimestamp64Milli(appended_to) as appended, batch_ids',
    countedBlocks,
  ],
  [
    'select token_id, series, toString(started_at) as started, argMax(state, (epoch, stored_to)) as known',
    countersBefore,
  ],
  ['select {marker0:String} as marker', markers],
  ['select marker, sum(to_offset - from_offset) as messages', earlierMarkers],
  ['select ( select count() from blocks where stored_at >=', windowUsed],
  [
    "with splitByChar('_', new_part_name) as numbers",
    (server, { table }) => [{ missing: String(server.countQueued(String(table))) }],
  ],
  ['select 1', () => []],
];

const known = new Map<string, { readonly text: string; readonly answer: Answer }>();

export function answerQuery(server: ClickHouseServer, query: string, params: Params): Row[] {
  let found = known.get(query);
  if (found === undefined) {
    const text = query.replaceAll(/\s+/g, ' ').trim();
    const [, answer] = STATEMENTS.find(([begins]) => text.startsWith(begins)) ?? [];
    if (answer === undefined) throw new Error(`the simulated ClickHouse does not know the query: ${text}`);
    found = { text, answer };
    known.set(query, found);
  }
  return found.answer(server, params, found.text);
}

function* blocksOf({ content }: ClickHouseServer, { topic, epoch, partition }: Params): Generator<BlockRow> {
  for (const block of content.blocks)
    if (block.topic === topic && block.epoch === epoch && block.partition === partition) yield block;
}

function storedTo(server: ClickHouseServer, params: Params): number {
  return [...blocksOf(server, params)].reduce((max, { to }) => Math.max(max, to), 0);
}

function deadBlocks(server: ClickHouseServer, params: Params): Row[] {
  const from = Number(params['from']);
  return [...blocksOf(server, params)]
    .filter(({ to, tally }) => to <= from && to + 1000 > from && tally.dead > 0)
    .sort((a, b) => a.from - b.from)
    .map(({ from: from_offset, to, tally }) => ({
      from_offset: String(from_offset),
      to_offset: String(to),
      dead: String(tally.dead),
    }));
}

function endsOf({ from, to, appendedTo }: BlockRow): Row {
  return { from_offset: String(from), to_offset: String(to), appended: String(appendedTo) };
}

function lastBlocks(server: ClickHouseServer, params: Params): Row[] {
  return [...blocksOf(server, params)]
    .filter(({ from, to }) => from < Number(params['start']) && to <= Number(params['to']))
    .sort((a, b) => b.from - a.from)
    .slice(0, PAGE)
    .map(endsOf);
}

function countedBlocks(server: ClickHouseServer, params: Params): Row[] {
  return [...blocksOf(server, params)]
    .filter(({ from, to }) => from >= Number(params['start']) && to <= Number(params['to']))
    .sort((a, b) => a.from - b.from)
    .map((block) => ({
      ...endsOf(block),
      batch_ids: block.batchIds,
      receipts: block.batchTimes.map(String),
    }));
}

/** What blocks before an offset know of the counters of a partition. */
function countersBefore({ content }: ClickHouseServer, params: Params, query: string): Row[] {
  if (!query.includes('and day + {kept:UInt8}'))
    throw new Error('only a rebuild reads the counters of some days');
  const [epoch, before] = [Number(params['epoch']), Number(params['before'])];
  const last = new Map<string, CounterState>();
  for (const counter of content.counters.values()) {
    const { topic, partition, token, series, startedAt } = counter;
    if (topic !== params['topic'] || partition !== params['partition'] || counter.epoch > epoch) continue;
    const key = `${token} ${series} ${startedAt}`;
    const known = last.get(key);
    if (known === undefined || isLater(counter, known)) last.set(key, counter);
  }
  return Array.from(last.values(), ({ token, series, startedAt, from, ...counter }) => ({
    token_id: token,
    series,
    started: String(startedAt),
    known: counter.epoch === epoch && from >= before ? counter.before : counter.state,
  })).filter(({ known }) => known.length > 0);
}

function isLater(one: CounterState, other: CounterState): boolean {
  return one.epoch === other.epoch ? one.to > other.to : one.epoch > other.epoch;
}

const TARGET = /\{marker(\d+):String\} as marker, [^;]*? from (\w+) where/g;

function markers({ content }: ClickHouseServer, params: Params, query: string): Row[] {
  return Array.from(query.matchAll(TARGET), ([, index = '', table = '']) => ({
    marker: String(params[`marker${index}`]),
    messages: String(
      content.markers.get(`${table} ${String(params['key'])} ${String(params[`day${index}`])}`) ?? 0,
    ),
  }));
}

function earlierMarkers(server: ClickHouseServer, params: Params): Row[] {
  const wanted = new Set(params['markers'] as readonly string[]); // a parameter of our query
  const [from, to] = [Number(params['from']), Number(params['to'])];
  const firstReceipt = Date.parse(`${String(params['firstDay']).replace(' ', 'T')}Z`) - 2 * 86_400_000;
  const sums = new Map<string, number>();
  let isStored = false;
  for (const block of blocksOf(server, params)) {
    if (block.from === from && block.to === to) isStored = true;
    if (block.to > from || block.receivedTo < firstReceipt) continue;
    for (const mark of block.markers)
      if (wanted.has(mark)) sums.set(mark, (sums.get(mark) ?? 0) + block.to - block.from);
  }
  const rows = Array.from(sums, ([marker, messages]) => ({ marker, messages: String(messages) }));
  return isStored ? [...rows, { marker: '', messages: '1' }] : rows;
}

function windowUsed({ content }: ClickHouseServer, { since }: Params): Row[] {
  const blocks = content.blocks.filter(({ storedAt }) => storedAt >= Number(since)).length;
  return [{ blocks: String(blocks), places: String(WINDOW) }];
}
