import { expect } from 'chai';
import type { World } from './world.ts';

/** What a relay knows of a batch in the end. */
export type Fate = 'acknowledged' | 'refused' | 'unknown';

export type SentMetric = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  /** ISO time. */
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
};

/** One batch: its marker is a feature that no other batch names, which tells how often it was counted. */
export type Entry = {
  readonly marker: string;
  readonly metrics: readonly SentMetric[];
  /** Every second batch brings an application: its counts wait until that is stored. */
  readonly applications: readonly { readonly appName: string }[];
  fate: Fate;
};

/** Every batch that was sent, with its exact content and its fate. */
export class Ledger {
  readonly #entries: Entry[] = [];

  /** Writes a batch down before it is sent: until there is an answer its fate is unknown. */
  open(metrics: readonly SentMetric[]): Entry {
    const marker = `batch-${this.#entries.length}`;
    const applications = this.#entries.length % 2 === 0 ? [{ appName: `app-of-${marker}` }] : [];
    const [first] = metrics;
    if (first === undefined) throw new RangeError('a batch of the ledger has metrics');
    const entry: Entry = {
      marker,
      metrics: [...metrics, { ...first, featureName: marker, yes: 1, no: 0, variants: {} }],
      applications,
      fate: 'unknown',
    };
    this.#entries.push(entry);
    return entry;
  }

  /** Names of the applications in acknowledged batches. */
  acknowledgedApplications(): string[] {
    const acknowledged = this.#entries.filter(({ fate }) => fate === 'acknowledged');
    return acknowledged.flatMap(({ applications }) => applications.map(({ appName }) => appName));
  }

  count(fate: Fate): number {
    return this.#entries.filter((entry) => entry.fate === fate).length;
  }

  /**
   * Fails unless everything acknowledged is counted once, what was refused not at all, the rest at most once, and
   * every table for people holds exactly those batches and the books agree. Waits until all is in a block.
   */
  async expectCountedOnce(world: World, timeoutMs = 60_000): Promise<void> {
    const { total } = await world.settled(timeoutMs);
    const times = await readTimesCounted(world);
    const timesOf = ({ marker }: Entry): number => times.get(marker) ?? 0;
    const wrong = this.#entries.filter((entry) => !isHonest(entry.fate, timesOf(entry)));
    expect(
      wrong.map((entry) => `${entry.marker} ${entry.fate} counted ${timesOf(entry)} times`),
    ).to.deep.equal([]);
    const counted = this.#entries.filter((entry) => timesOf(entry) > 0);
    expect(await readUsage(world, 'hour')).to.deep.equal(sumUsage(counted, 13));
    expect(await readUsage(world, 'day')).to.deep.equal(sumUsage(counted, 10));
    expect(await readVariants(world, 'hour')).to.deep.equal(sumVariants(counted, 13));
    expect(await readVariants(world, 'day')).to.deep.equal(sumVariants(counted, 10));
    expect(total.counted).to.equal(counted.reduce((sum, { metrics }) => sum + metrics.length, 0));
  }
}

function isHonest(fate: Fate, times: number): boolean {
  if (fate === 'acknowledged') return times === 1;
  return fate === 'refused' ? times === 0 : times <= 1;
}

async function readTimesCounted(world: World): Promise<Map<string, number>> {
  const rows = await world.query<{ feature_name: string; times: string }>(
    `select feature_name, sum(yes) as times
     from usage_by_hour
     where startsWith(feature_name, 'batch-')
     group by feature_name`,
  );
  return new Map(rows.map(({ feature_name, times }) => [feature_name, Number(times)]));
}

/** Sums by a key of names and time, in no particular order. */
type Sums = Record<string, string>;

/** A time is cut to its first characters: 13 of an ISO time name the hour, 10 the day. */
function sumUsage(entries: readonly Entry[], timeLength: number): Sums {
  const sums = new Map<string, { yes: number; no: number; reports: number }>();
  for (const metric of entries.flatMap(({ metrics }) => metrics)) {
    const key = keyOf(metric, timeLength);
    const sum = sums.get(key) ?? { yes: 0, no: 0, reports: 0 };
    sums.set(key, { yes: sum.yes + metric.yes, no: sum.no + metric.no, reports: sum.reports + 1 });
  }
  return Object.fromEntries([...sums].map(([key, { yes, no, reports }]) => [key, `${yes}/${no}/${reports}`]));
}

function sumVariants(entries: readonly Entry[], timeLength: number): Sums {
  const sums = new Map<string, number>();
  for (const metric of entries.flatMap(({ metrics }) => metrics)) {
    for (const [variant, count] of Object.entries(metric.variants)) {
      const key = `${keyOf(metric, timeLength)} ${variant}`;
      sums.set(key, (sums.get(key) ?? 0) + count);
    }
  }
  return Object.fromEntries([...sums].map(([key, count]) => [key, String(count)]));
}

function keyOf({ timestamp, environment, featureName, appName }: SentMetric, timeLength: number): string {
  return [timestamp.slice(0, timeLength).replace('T', ' '), environment, featureName, appName].join(' ');
}

type UsageRow = { key: string; sums: string };

async function readUsage(world: World, unit: 'hour' | 'day'): Promise<Sums> {
  const rows = await world.query<UsageRow>(
    `select concat(${timeOf(unit)}, ' ', environment, ' ', feature_name, ' ', app_name) as key,
       concat(toString(yes), '/', toString(no), '/', toString(reports)) as sums
     from usage_by_${unit}`,
  );
  return Object.fromEntries(rows.map(({ key, sums }) => [key, sums]));
}

async function readVariants(world: World, unit: 'hour' | 'day'): Promise<Sums> {
  const rows = await world.query<UsageRow>(
    `select concat(${timeOf(unit)}, ' ', environment, ' ', feature_name, ' ', app_name, ' ', variant) as key,
       toString(count) as sums
     from variants_by_${unit}`,
  );
  return Object.fromEntries(rows.map(({ key, sums }) => [key, sums]));
}

function timeOf(unit: 'hour' | 'day'): string {
  return unit === 'hour' ? `formatDateTime(hour, '%Y-%m-%d %H')` : 'toString(day)';
}
