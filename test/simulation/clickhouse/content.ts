import type { SeriesTotals } from '../samples.ts';
import { type InsertedRow, type Part, elementOf, isoDayOf } from './insert-rows.ts';

export type BlockRow = {
  readonly topic: string;
  readonly epoch: number;
  readonly partition: number;
  readonly from: number;
  readonly to: number;
  readonly receivedTo: number;
  readonly appendedTo: number;
  readonly storedAt: number;
  readonly tally: Tally;
  /** Without dead ones: the samples of a message that cannot be decoded are not known. */
  readonly samples: Tally;
  readonly batchIds: readonly string[];
  readonly batchTimes: readonly number[];
  readonly markers: readonly string[];
};

type Tally = Readonly<Record<'received' | 'counted' | 'refused' | 'duplicate' | 'dead', number>>;

/** What a block knew last of a counter on a day. */
export type CounterState = {
  readonly topic: string;
  readonly epoch: number;
  readonly partition: number;
  readonly token: string;
  readonly series: string;
  readonly startedAt: number;
  readonly day: number;
  readonly from: number;
  readonly to: number;
  /** Value, time in microseconds, and 1 if it is broken. */
  readonly state: readonly number[];
  /** Before the block, with the day; empty if nothing was known. */
  readonly before: readonly number[];
};

/** What the tables of one server hold, added up. */
export class Content {
  /** Evaluations by table and feature. */
  readonly evaluations = new Map<string, number>();
  /** Those of them whose result is unknown. Sums of markers have an empty feature. */
  readonly unknown = new Map<string, number>();
  /** Counters and histograms by table and series; markers have an empty name. */
  readonly totals = new Map<string, SeriesTotals>();
  /** The highest value of each gauge. */
  readonly gauges = new Map<string, number>();
  /** Evaluations by table, feature, reason and error type. Sums of markers have the reason `sum`, and an empty feature. */
  readonly reasons = new Map<string, number>();
  /** By the key of the table. */
  readonly counters = new Map<string, CounterState>();
  /** By table, Kafka partition and day. */
  readonly markers = new Map<string, number>();
  readonly blocks: BlockRow[] = [];

  add({ table, rows }: Part, storedAt: number): void {
    for (const row of rows) {
      if (table === 'blocks') this.blocks.push(blockOf(row, storedAt));
      else if (table === 'gauges_hourly') this.#addGauge(row);
      else if (table.startsWith('impact')) this.#addSamples(table, row);
      else if (table === 'counter_states') this.#addCounter(row);
      else if (table.startsWith('reasons')) this.#addReason(table, row);
      else if (row.get('feature_name') === '') this.#addMarker(table, row);
      else this.#addCounts(table, row);
    }
  }

  #addCounts(table: string, row: InsertedRow): void {
    const unknown = this.#addUnknown(table, row);
    const key = `${table} ${String(row.get('feature_name'))}`;
    const counts = table.startsWith('variants')
      ? sum(row.get('variant_counts'))
      : table === 'refusals_daily'
        ? Number(row.get('reports'))
        : Number(row.get('yes')) + Number(row.get('no')) + unknown;
    add(this.evaluations, key, counts);
  }

  /** The rows of variants have none. */
  #addUnknown(table: string, row: InsertedRow): number {
    const unknown = Number(row.get('unknown') ?? 0);
    if (table.startsWith('usage')) add(this.unknown, `${table} ${String(row.get('feature_name'))}`, unknown);
    return unknown;
  }

  #addReason(table: string, row: InsertedRow): void {
    const feature = String(row.get('feature_name'));
    const { reason = '', error_type = '' } = elementOf(row, 'reason');
    if (feature === '' && reason === '') this.#addMarker(table, row);
    else {
      const key = reasonKey(table, feature, { reason: String(reason), errorType: String(error_type) });
      add(this.reasons, key, Number(row.get('reports')));
    }
  }

  /** The table keeps the block that ended last. */
  #addCounter(row: InsertedRow): void {
    const state = counterOf(row);
    const { topic, epoch, partition, day, series, startedAt } = state;
    const key = `${topic} ${partition} ${epoch} ${day} ${series} ${startedAt}`;
    const known = this.counters.get(key);
    if (known === undefined || state.to > known.to || (state.to === known.to && state.from > known.from))
      this.counters.set(key, state);
  }

  #addGauge(row: InsertedRow): void {
    const name = metricOf(row);
    const { highest } = elementOf(row, 'gauge');
    this.gauges.set(name, Math.max(this.gauges.get(name) ?? -Infinity, Number(highest)));
  }

  #addSamples(table: string, row: InsertedRow): void {
    const name = metricOf(row);
    const { samples, total, observations, bucket_counts } = elementOf(row, 'impact');
    const key = `${table} ${name}`;
    const sums = this.totals.get(key) ?? { samples: 0n, total: 0n, observations: 0n, inBuckets: 0n };
    this.totals.set(key, sums);
    sums.samples += BigInt(Number(samples));
    sums.total += BigInt(String(total));
    sums.observations += BigInt(Number(observations));
    sums.inBuckets += BigInt(sum(bucket_counts));
    if (name === '')
      add(this.markers, `${table} ${String(row.get('app_name'))} ${isoDayOf(table, row)}`, Number(samples));
  }

  #addMarker(table: string, row: InsertedRow): void {
    const key = `${table} ${String(row.get('app_name'))} ${isoDayOf(table, row)}`;
    if (table.startsWith('variants')) {
      const names = row.get('variants');
      const counts = row.get('variant_counts');
      const at = Array.isArray(names) ? names.indexOf('') : -1;
      if (at >= 0 && Array.isArray(counts)) add(this.markers, key, Number(counts[at]));
      return;
    }
    this.#addUnknown(table, row);
    if (table !== 'refusals_daily' || elementOf(row, 'refusal')['reason'] === undefined)
      add(this.markers, key, Number(row.get('reports')));
  }
}

function add(sums: Map<string, number>, key: string, count: number): void {
  sums.set(key, (sums.get(key) ?? 0) + count);
}

function sum(values: unknown): number {
  return Array.isArray(values) ? values.reduce<number>((total, value) => total + Number(value), 0) : 0;
}

/** The key of evaluations among reasons. */
export function reasonKey(
  table: string,
  feature: string,
  { reason, errorType = '' }: { readonly reason: string; readonly errorType?: string },
): string {
  return `${table} ${feature} ${reason} ${errorType}`;
}

/** The impact metric of a row of samples; empty in markers. */
function metricOf(row: InsertedRow): string {
  const { name = '' } = elementOf(row, 'metric');
  return String(name);
}

function counterOf(row: InsertedRow): CounterState {
  const counter = elementOf(row, 'counter');
  const number = (member: string): number => Number(counter[member]);
  return {
    topic: String(counter['topic']),
    epoch: number('epoch'),
    partition: number('partition'),
    token: String(counter['token_id']),
    series: String(counter['series']),
    startedAt: number('started_at'),
    day: Number(row.get('hour')) / 86_400,
    from: number('from_offset'),
    to: number('to_offset'),
    state: listOf(counter['state']).map(Number),
    before: listOf(counter['before']).map(Number),
  };
}

function blockOf(row: InsertedRow, storedAt: number): BlockRow {
  const block = elementOf(row, 'block');
  const number = (member: string): number => Number(block[member]);
  const timeOf = (value: unknown): number => Math.round(Number(value) * 1000);
  return {
    topic: String(block['topic']),
    epoch: number('epoch'),
    partition: number('partition'),
    from: number('from_offset'),
    to: number('to_offset'),
    receivedTo: timeOf(block['received_to']),
    appendedTo: timeOf(block['appended_to']),
    storedAt,
    tally: {
      received: number('received'),
      counted: number('counted'),
      refused: number('refused'),
      duplicate: number('duplicate'),
      dead: number('dead'),
    },
    samples: {
      received: number('samples_received'),
      counted: number('samples_counted'),
      refused: number('samples_refused'),
      duplicate: number('samples_duplicate'),
      dead: 0,
    },
    batchIds: listOf(block['batch_ids']).map(String),
    batchTimes: listOf(block['batch_times']).map(timeOf),
    markers: listOf(block['markers']).map(String),
  };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
