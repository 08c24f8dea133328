import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { sumSamples, sumTallies } from '#core/accounting';
import { openWholeAccounting } from '#unleash/history';
import type { World } from '../world.ts';
import { type SentImpact, impactOf, readImpact, sumImpact } from './sent-impact.ts';

/** What the relay knows about the outcome of a batch. */
export type Fate = 'acknowledged' | 'rejected' | 'unknown';

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

/**
 * One batch. Its tag is a feature that no other batch names, so the count of the tag shows how often the batch
 * was counted.
 */
export type Entry = {
  readonly tag: string;
  readonly metrics: readonly SentMetric[];
  /** Every second batch has an application, and its counts wait until the application is stored. */
  readonly applications: readonly { readonly appName: string }[];
  /** Also sent. Each of these metrics must be refused, so it is never counted. */
  readonly refusedMetrics: readonly SentMetric[];
  readonly impactMetrics: readonly SentImpact[];
  fate: Fate;
};

/** How the store counted the batches of a ledger. */
export type LedgerResult = {
  readonly requests: number;
  readonly acknowledged: number;
  readonly unknown: number;
  /** Batches that were counted. */
  readonly counted: number;
  /** Batches counted more often than their fate allows. */
  readonly doubled: number;
  /** Acknowledged batches that were not counted. */
  readonly lost: number;
  /** Every problem, in words. */
  readonly problems: readonly string[];
};

/** Every sent batch, with its exact content and its fate. */
export class Ledger {
  readonly #entries: Entry[] = [];

  /** Records a batch before it is sent. Until an answer arrives its fate is unknown. */
  open(metrics: readonly SentMetric[], refusedMetrics: readonly SentMetric[] = []): Entry {
    const tag = `batch-${this.#entries.length}`;
    const applications = this.#entries.length % 2 === 0 ? [{ appName: `app-of-${tag}` }] : [];
    const [first] = metrics;
    if (first === undefined) throw new RangeError('a batch of the ledger has metrics');
    const entry: Entry = {
      tag,
      metrics: [...metrics, { ...first, featureName: tag, yes: 1, no: 0, variants: {} }],
      applications,
      refusedMetrics,
      impactMetrics: impactOf(first.appName, this.#entries.length),
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

  /** Fails if `examine` finds a problem. */
  async expectCountedOnce(world: World): Promise<LedgerResult> {
    const result = await this.examine(world);
    expect(result.problems).to.deep.equal([]);
    return result;
  }

  /**
   * Waits until every message is in a block and the accounting agrees. Then acknowledged batches must be counted
   * once, rejected batches never, and unknown ones at most once. Every view for analysts must hold exactly the counted
   * batches.
   */
  async examine(world: World): Promise<LedgerResult> {
    const { partitions } = await world.drained(SETTLED_MS);
    const total = sumTallies(partitions);
    const { counted, ...result } = await this.#judge(world);
    const metrics = counted.reduce((sum, entry) => sum + entry.metrics.length, 0);
    const miscounted =
      total.counted === metrics ? [] : [`blocks count ${total.counted} metrics, not ${metrics}`];
    const samples = sumSamples(partitions.map((one) => one.samples)).counted;
    const sent = counted.reduce((sum, entry) => sum + entry.impactMetrics.length, 0);
    if (samples !== sent) miscounted.push(`blocks count ${samples} samples, not ${sent}`);
    const problems = [...result.problems, ...miscounted, ...(await findWrongTables(world, counted))];
    return { ...result, counted: counted.length, problems };
  }

  /**
   * Like `examine`, but other senders may be active. Checks only the sums of this ledger's applications, whose names
   * no other sender uses.
   */
  async examineAmongOthers(world: World, settledMs: number): Promise<LedgerResult> {
    await world.drained(settledMs);
    const { counted, ...result } = await this.#judge(world);
    const apps = new Set(this.#entries.flatMap(({ metrics }) => metrics.map(({ appName }) => appName)));
    const wrong = await findWrongTables(world, counted, [...apps]);
    return { ...result, counted: counted.length, problems: [...result.problems, ...wrong] };
  }

  async #judge(
    world: World,
  ): Promise<Omit<LedgerResult, 'counted'> & { readonly counted: readonly Entry[] }> {
    // Waits for the views of the last INSERT, which become visible one after the other.
    const differences = await reconcile(world);
    const times = await readTimesCounted(world);
    const timesOf = ({ tag }: Entry): number => times.get(tag) ?? 0;
    const counted = this.#entries.filter((entry) => timesOf(entry) > 0);
    const doubled = counted.filter((entry) => timesOf(entry) > maxTimes(entry));
    const lost = this.#entries.filter((entry) => entry.fate === 'acknowledged' && timesOf(entry) === 0);
    const describe = (entry: Entry): string => `${entry.tag} ${entry.fate} counted ${timesOf(entry)} times`;
    return {
      requests: this.#entries.length,
      acknowledged: this.count('acknowledged'),
      unknown: this.count('unknown'),
      counted,
      doubled: doubled.length,
      lost: lost.length,
      problems: [...[...doubled, ...lost].map(describe), ...differences],
    };
  }
}

/** Long enough for a worker on a busy machine to take everything over and catch up. */
const SETTLED_MS = 90_000;

async function reconcile(world: World): Promise<string[]> {
  const accounting = openWholeAccounting(world.config, world.log);
  try {
    const { differences } = await accounting.readAgreed();
    return differences.map(({ subject, text }) => `${subject}: ${text}`);
  } finally {
    await accounting.close();
  }
}

/** The relay merges a rejected batch into another one, so the rejected batch itself must not be counted. */
function maxTimes({ fate }: Entry): number {
  return fate === 'rejected' ? 0 : 1;
}

/** In the rows of these applications, or of all applications if there are none. */
async function findWrongTables(
  world: World,
  counted: readonly Entry[],
  apps: readonly string[] = [],
): Promise<string[]> {
  const impact = counted.flatMap(({ impactMetrics }) => impactMetrics);
  const tables = [
    ['usage_by_hour', await readUsage(world, 'hour', apps), sumUsage(counted, 13)],
    ['usage_by_day', await readUsage(world, 'day', apps), sumUsage(counted, 10)],
    ['usage_by_minute', await readUsage(world, 'minute', apps), sumUsage(counted, 0)],
    ['variants_by_hour', await readVariants(world, 'hour', apps), sumVariants(counted, 13)],
    ['variants_by_day', await readVariants(world, 'day', apps), sumVariants(counted, 10)],
    ['variants_by_minute', await readVariants(world, 'minute', apps), sumVariants(counted, 0)],
    ['impact_by_hour', await readImpact(world, 'hour', apps), sumImpact(impact)],
    ['impact_by_day', await readImpact(world, 'day', apps), sumImpact(impact)],
  ] as const;
  return tables.flatMap(([name, stored, sent]) =>
    differencesOf(stored, sent).map((text) => `${name} ${text}`),
  );
}

/** Lists only the first few differing keys. */
function differencesOf(stored: Sums, sent: Sums): string[] {
  if (isDeepStrictEqual(stored, sent)) return [];
  const keys = [...new Set([...Object.keys(stored), ...Object.keys(sent)])];
  return keys
    .filter((key) => stored[key] !== sent[key])
    .slice(0, 5)
    .map((key) => `${key}: ${stored[key] ?? 'nothing'}, sent ${sent[key] ?? 'nothing'}`);
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

/** Keeps the first characters of an ISO time: 13 for the hour, 10 for the day, none if only the server knows when something arrived. */
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
  const inUtc = new Date(timestamp).toISOString();
  return [inUtc.slice(0, timeLength).replace('T', ' '), environment, featureName, appName].join(' ');
}

type Unit = 'minute' | 'hour' | 'day';
const OF_APPS = '(empty({apps:Array(String)}) or has({apps:Array(String)}, app_name))';

type UsageRow = { key: string; sums: string };

async function readUsage(world: World, unit: Unit, apps: readonly string[]): Promise<Sums> {
  const rows = await world.query<UsageRow>(
    `select concat(${timeOf(unit)}, ' ', environment, ' ', feature_name, ' ', app_name) as key,
       concat(toString(sum(u.yes)), '/', toString(sum(u.no)), '/', toString(sum(u.reports))) as sums
     from usage_by_${unit} as u
     where ${OF_APPS}
     group by key`,
    { apps },
  );
  return Object.fromEntries(rows.map(({ key, sums }) => [key, sums]));
}

async function readVariants(world: World, unit: Unit, apps: readonly string[]): Promise<Sums> {
  const rows = await world.query<UsageRow>(
    `select concat(${timeOf(unit)}, ' ', environment, ' ', feature_name, ' ', app_name, ' ', variant) as key,
       toString(sum(v.count)) as sums
     from variants_by_${unit} as v
     where ${OF_APPS}
     group by key`,
    { apps },
  );
  return Object.fromEntries(rows.map(({ key, sums }) => [key, sums]));
}

function timeOf(unit: Unit): string {
  if (unit === 'minute') return "''";
  return unit === 'hour' ? `formatDateTime(hour, '%Y-%m-%d %H')` : 'toString(day)';
}
