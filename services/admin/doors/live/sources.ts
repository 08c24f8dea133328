import { type AccountingReader, type StoredTotals, createWaitingTime, lagOf } from '#core/accounting';
import { type Job, type Log, startJob } from '#base/runtime';
import { DEFAULT_THRESHOLDS } from '../../advice/verdicts/thresholds.ts';
import type { LiveCounts, LivePart, LiveStep, LiveVerdict } from './schema.ts';
import type { VerdictsStore } from '../../advice/verdicts/store.ts';
import type { LiveSteps } from './store.ts';

export type LiveStores = { readonly verdicts: VerdictsStore; readonly liveSteps: LiveSteps };

export type LiveEvent = {
  readonly name: 'counts' | 'verdict' | 'change-request' | 'unavailable' | 'available';
  readonly data: object;
  /** Null if only those who see every project see it, and absent if everybody does. */
  readonly project?: string | null;
};

type SourcesOptions = {
  readonly accounting: AccountingReader;
  readonly stores: LiveStores;
  readonly log: Log;
  readonly publish: (event: LiveEvent) => void;
  /** Pause between two readings of the verdicts. */
  readonly verdictsPauseMs?: number;
};

export type Sources = {
  /** The events that a new listener needs to know the current state. */
  current(): LiveEvent[];
  stop(): Promise<void>;
};

const PAUSE_MS = 2000;
const VERDICTS_PAUSE_MS = 60_000;
/** The verdicts that are compared, those with the most evaluations; and the maximum that is published at once. */
const MAX_VERDICTS = 1000;
const MAX_NEW_VERDICTS = 50;
/** Steps are read for this time, because a transaction may take long; and their ids are remembered for twice as long. */
const STEPS_READ_MS = 60_000;

/**
 * Reads the engines for all listeners together, until it is stopped. Each part is read by its own job, so that an engine
 * that is unreachable delays only its part.
 */
export function startSources(options: SourcesOptions): Sources {
  const { accounting, stores, log, publish, verdictsPauseMs = VERDICTS_PAUSE_MS } = options;
  const unavailable = new Map<LivePart, LiveEvent>();
  let counts: LiveEvent | undefined;
  const readCounts = createCounts(accounting);
  const readVerdicts = createNewVerdicts(stores.verdicts);
  const readSteps = createNewSteps(stores.liveSteps);

  const watch = (part: LivePart, pauseMs: number, read: () => Promise<readonly LiveEvent[]>): Job =>
    startJob({ name: `live ${part}`, pauseMs, log }, async (signal) => {
      const since = new Date().toISOString();
      try {
        const events = await read();
        if (signal.aborted) return;
        if (unavailable.delete(part)) publish({ name: 'available', data: { part, since } });
        for (const event of events) publish(event);
      } catch (error) {
        if (!unavailable.has(part) && !signal.aborted) {
          const event: LiveEvent = { name: 'unavailable', data: { part, since } };
          unavailable.set(part, event);
          publish(event);
        }
        throw error;
      }
    });
  const jobs = [
    watch('counts', PAUSE_MS, async () => {
      counts = { name: 'counts', data: await readCounts.read(!unavailable.has('lag')), project: null };
      return [counts];
    }),
    watch('lag', PAUSE_MS, async () => {
      await readCounts.readLog();
      return [];
    }),
    watch('verdicts', verdictsPauseMs, async () => {
      const verdicts = await readVerdicts();
      const projects = await stores.liveSteps.projectsOf(verdicts.flatMap((one) => one.featureName ?? []));
      return verdicts.map((data) => ({
        name: 'verdict',
        data,
        project: projects.get(data.featureName ?? '') ?? null,
      }));
    }),
    watch('change-requests', PAUSE_MS, async () =>
      (await readSteps()).map((data) => ({ name: 'change-request', data, project: data.project })),
    ),
  ];
  return {
    current: () => [...(counts === undefined ? [] : [counts]), ...unavailable.values()],
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}

function createCounts(accounting: AccountingReader) {
  let previous: { readonly tally: StoredTotals['tally']; readonly at: number } | undefined;
  let log: Awaited<ReturnType<AccountingReader['readLog']>> | undefined;
  const waitingTime = createWaitingTime();
  return {
    async readLog(): Promise<void> {
      log = await accounting.readLog();
    },
    async read(isLogKnown: boolean): Promise<LiveCounts> {
      const { tally, ends } = await accounting.readTotals();
      const at = Date.now();
      const perSecond = previous === undefined ? null : ratesOf(previous, { tally, at });
      previous = { tally, at };
      const known = isLogKnown ? log : undefined;
      return {
        at: new Date(at).toISOString(),
        total: tally,
        perSecond,
        lag: known === undefined ? null : lagOf(known, ends),
        lagSeconds: known === undefined ? null : Math.floor(waitingTime.observe(known, ends, at) / 1000),
      };
    },
  };
}

type Reading = { readonly tally: StoredTotals['tally']; readonly at: number };

/** Never negative: ClickHouse deletes old blocks, so a total may also become smaller. */
function ratesOf(before: Reading, now: Reading): NonNullable<LiveCounts['perSecond']> {
  const seconds = Math.max(now.at - before.at, 1) / 1000;
  const rate = (name: keyof Reading['tally']): number =>
    Math.round((100 * Math.max(0, now.tally[name] - before.tally[name])) / seconds) / 100;
  return {
    received: rate('received'),
    counted: rate('counted'),
    refused: rate('refused'),
    duplicate: rate('duplicate'),
    dead: rate('dead'),
  };
}

/** Returns the verdicts that the previous reading did not have; none at the first reading. */
function createNewVerdicts(verdicts: VerdictsStore): () => Promise<LiveVerdict[]> {
  let known: ReadonlySet<string> | undefined;
  const all = { feature: undefined, environment: undefined, verdict: undefined, visible: undefined };
  const filter = { ...all, limit: MAX_VERDICTS };
  return async () => {
    const { verdicts: list } = await verdicts.list(filter, DEFAULT_THRESHOLDS);
    const present = new Map(
      list.map(({ featureName, appName, environment, verdict, since }) => [
        JSON.stringify([featureName, appName, environment, verdict]),
        { featureName, appName, environment, verdict, since },
      ]),
    );
    const before = known ?? new Set(present.keys());
    const fresh = [...present.keys()].filter((key) => !before.has(key));
    const published = fresh.slice(0, MAX_NEW_VERDICTS);
    known = new Set([...present.keys()].filter((key) => before.has(key) || published.includes(key)));
    return published.flatMap((key) => present.get(key) ?? []);
  };
}

/** Returns the steps since the first reading that no previous reading had. */
function createNewSteps(steps: LiveSteps): () => Promise<LiveStep[]> {
  const seen = new Map<number, number>();
  const startedAt = performance.now();
  return async () => {
    const now = performance.now();
    for (const [id, at] of seen) if (now - at > 2 * STEPS_READ_MS) seen.delete(id);
    const readMs = Math.min(now - startedAt, STEPS_READ_MS);
    const unseen = await steps.listUnseen([...seen.keys()], readMs / 1000);
    for (const { eventId } of unseen) seen.set(eventId, now);
    return unseen;
  };
}
