import { type ClickHouse, readRows } from '#core/clickhouse';
import { RunError } from '#tooling/stack';
import type { BenchProcess } from '../process/bench-process.ts';
import { quantile } from '../figures.ts';
import type { BenchWorld } from '../world.ts';
import { QUESTIONS } from './questions.ts';
import { recipeQuestions } from './recipe-questions.ts';
import { type RollUps, rolledUpApp, rolledUpFeature } from './roll-ups.ts';

/** Duration of an answer in milliseconds, measured by the client. One question at a time. */
export type Read = {
  readonly name: string;
  readonly runs: number;
  /** Runs without an answer, usually because one of our deadlines passed. */
  readonly failures: number;
  readonly p50: number;
  readonly p95: number;
};

const RUNS = 30;
const WARM_UP_RUNS = 2;
/** A question that fails more often is not repeated, because each failure takes seconds. */
const MAX_FAILURES = 3;

const DAY_MS = 24 * 60 * 60_000;
const USAGE = '/api/admin/metrics/usage';

/**
 * Requests of an admin UI. `*` is a feature, a different one each time, and `**` for 200 of them. `-1d` is a day before
 * the request, so that no request equals the last one, whose answer it could get.
 */
const REQUESTS: Readonly<Record<string, string>> = {
  'admin: usage of a feature': '/api/admin/client-metrics/features/*',
  'admin: usage by hour, 24 hours': '/api/admin/client-metrics/features/*/raw?hoursBack=24',
  'admin: usage by hour, 48 hours': '/api/admin/client-metrics/features/*/raw?hoursBack=48',
  'admin: a feature by day, 90 days, with the 90 days before': `${USAGE}?feature=*&from=-89d&previous=true`,
  'admin: a feature by local day, 30 days': `${USAGE}?feature=*&from=-30d&timezone=Europe/Berlin`,
  'admin: a feature by hour, 7 days': `${USAGE}?feature=*&from=-7d&interval=hour`,
  'admin: applications of a feature by day, 90 days': `${USAGE}?feature=*&from=-89d&groupBy=application`,
  'admin: variants of a feature by day, 90 days': `${USAGE}?feature=*&from=-89d&groupBy=variant`,
  'admin: 200 features by day, 30 days, with the 30 days before': `${USAGE}?**&from=-29d&previous=true`,
  'admin: 200 features by day, 90 days': `${USAGE}?**&from=-89d`,
  'admin: 200 features by local day, 30 days': `${USAGE}?**&from=-30d&timezone=Europe/Berlin`,
  'admin: all features by hour, 24 hours': `${USAGE}?interval=hour&from=-1d`,
  'admin: unknown flags': '/api/admin/metrics/unknown-flags',
  'admin: verdicts': '/api/admin/metrics/verdicts',
  'admin: verdicts on a feature': '/api/admin/metrics/verdicts?feature=*',
  'admin: applications': '/api/admin/metrics/applications',
};

export type ReadTarget = {
  readonly world: BenchWorld;
  readonly admin: BenchProcess;
  readonly interrupted: AbortSignal;
};

/** Asks all the usual questions about the generated counts of this world. */
export async function measureReads(
  { world, admin, interrupted }: ReadTarget,
  rollUps: RollUps,
): Promise<Read[]> {
  const reads: Read[] = [];
  for (const [name, path] of Object.entries(REQUESTS)) {
    reads.push(
      await measure(name, async (run) => {
        interrupted.throwIfAborted();
        const url = admin.url + pathOf(path, run, rollUps);
        const response = await fetch(url, { headers: { authorization: world.adminToken } });
        await response.arrayBuffer();
        return response.status === 200;
      }),
    );
  }
  for (const [name, sql] of Object.entries(await readQuestions(world.clickhouse))) {
    reads.push(
      await measure(name, async (run) => {
        interrupted.throwIfAborted();
        await readRows(world.clickhouse, sql, parametersOf(run, rollUps));
        return true;
      }),
    );
  }
  return reads;
}

const MANY = 200;

function pathOf(path: string, run: number, rollUps: RollUps): string {
  const many = Array.from({ length: MANY }, (_, index) => {
    const feature = (run * MANY + index) % rollUps.features;
    return `feature=${rolledUpFeature(feature)}`;
  });
  return path
    .replace('**', many.join('&'))
    .replace('*', featureOf(run, rollUps))
    .replace(/-(\d+)d/, (_, days: string) => daysAgo(Number(days)));
}

function daysAgo(days: number): string {
  return new Date(Date.now() - days * DAY_MS).toISOString();
}

/** The questions to ClickHouse. Throws if a view is in none of them. */
export async function readQuestions(clickhouse: ClickHouse): Promise<Record<string, string>> {
  const views = await readRows<{ name: string }>(
    clickhouse,
    `select name from system.tables where database = currentDatabase() and engine = 'View'`,
  );
  const words = new Set(Object.values(QUESTIONS).flatMap((sql) => sql.match(/\w+/g) ?? []));
  const forgotten = views.map(({ name }) => name).filter((name) => !words.has(name));
  if (forgotten.length > 0) throw new RunError(`no question reads ${forgotten.join(', ')}`);
  return { ...prefixed('views', QUESTIONS), ...prefixed('cookbook', recipeQuestions()) };
}

function prefixed(kind: string, questions: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(questions).map(([name, sql]) => [`${kind}: ${name}`, sql]));
}

/** Parameters of a question, different in each run. */
export function parametersOf(run: number, rollUps: RollUps) {
  return {
    feature: featureOf(run, rollUps),
    variantFeature: rolledUpFeature(((run * run * 37) % (rollUps.features / 10)) * 10),
    app: rolledUpApp((run * 17) % rollUps.apps),
  };
}

/** Alternates between hot and cold features. Every third has variants. */
function featureOf(run: number, { features }: RollUps): string {
  const index = (run * run * 37) % features;
  return rolledUpFeature(run % 3 === 0 ? Math.floor(index / 10) * 10 : index);
}

async function measure(name: string, ask: (run: number) => Promise<boolean>): Promise<Read> {
  const times: number[] = [];
  let failures = 0;
  for (let run = 0; run < WARM_UP_RUNS + RUNS && failures <= MAX_FAILURES; run += 1) {
    const startedAt = performance.now();
    const isAnswered = await ask(run);
    if (!isAnswered) failures += 1;
    if (run >= WARM_UP_RUNS) times.push(performance.now() - startedAt);
  }
  return { name, runs: times.length, failures, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}
