import { deadlineSignal } from '#base/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../eventually.ts';
import { isNight } from '../nightly.ts';
import type { ServiceProcess } from '../stack/processes/process.ts';
import { ADMIN_TOKEN, type World } from '../world.ts';
import { watchAccounting } from './watch-accounting.ts';

/** The onlookers request the processes that currently have these roles. */
export type Looked = {
  readonly world: World;
  readonly cast: Readonly<Partial<Record<string, ServiceProcess>>>;
};

/**
 * Clients that read during a story, as in any installation: a Prometheus that scrapes every process, a reader of the
 * admin API, and an operator with `flagmeter reconcile --watch`. Wrong answers go to `complaints`. If a
 * process ends, the hooks of the suite fail the test.
 */
export type Onlookers = {
  /** Answers that no onlooker may get, in words. */
  complaints(): readonly string[];
  /** Reports of differences in the accounting. */
  differences(): readonly string[];
  /** Resolves when each onlooker has got at least one good answer. */
  satisfied(): Promise<void>;
  /** Resolves when each onlooker has got another good answer. */
  looked(): Promise<void>;
  /** Requests without an answer so far. */
  waiting(): ReadonlySet<Promise<unknown>>;
  stop(): Promise<void>;
};

/** Of a scene that nobody watches. */
export const NOBODY: Onlookers = {
  complaints: () => [],
  differences: () => [],
  satisfied: () => Promise.resolve(),
  looked: () => Promise.resolve(),
  waiting: () => new Set(),
  stop: () => Promise.resolve(),
};

const PAUSE_MS = 1000;
/** By day, after each has got a good answer. Their reads would cost as much as the counting. */
const REST_MS = 4000;
/** Far above any normal duration. A request that reaches this limit hangs. */
const HUNG_MS = 60_000;

const ROLES = ['ingest', 'worker', 'admin'] as const;
const SCRAPE_PATH = '/internal-backstage/prometheus';
const READ_PATHS = [
  '/api/admin/metrics/accounting',
  '/api/admin/client-metrics/features/batch-0/raw',
  '/api/admin/metrics/verdicts',
  '/api/admin/metrics/applications',
] as const;

/** Judges an answer: returns the problem in words, or undefined. */
type Judge = (status: number, text: string) => string | undefined;

export function startOnlookers({ world, cast }: Looked): Onlookers {
  const complaints: string[] = [];
  const differences: string[] = [];
  const answered = new Set<string>();
  const waiting = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  const { signal } = stopping;

  const look = async (role: string, path: string, judge: Judge): Promise<void> => {
    const looked = cast[role];
    if (looked === undefined) return;
    const asked = ask(`${looked.url}${path}`, signal);
    waiting.add(asked);
    const answer = await asked;
    waiting.delete(asked);
    // A process that a story has killed or frozen need not answer.
    if (typeof answer === 'string') {
      if (!signal.aborted && !(await looked.isExcused())) complaints.push(`${role} ${path}: ${answer}`);
      return;
    }
    if (answer.status === 200) answered.add(`${role} ${path}`);
    const complaint = judge(answer.status, answer.text);
    if (complaint !== undefined) complaints.push(`${role} ${path}: ${complaint}`);
  };
  const judgeScrape: Judge = (status, text) => {
    if (/^flagmeter_accounting_balanced 0$/m.test(text)) differences.push('scrape: balanced 0');
    return status === 200 ? undefined : `${status} ${text}`;
  };
  const judgeRead: Judge = (status, text) => {
    if (/"isBalanced":false/.test(text))
      differences.push(`admin: ${text.slice(text.indexOf('"differences"'))}`);
    return status === 200 || status === 503 ? undefined : `${status} ${text}`;
  };
  const expected = ROLES.length + READ_PATHS.length + 1;
  const repeat = async (turn: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      await turn();
      const pauseMs = answered.size < expected || isNight() ? PAUSE_MS : REST_MS;
      await Promise.allSettled([sleep(pauseMs, undefined, { signal })]);
    }
  };
  const operator = watchAccounting(world, {
    onAccounting(accounting) {
      answered.add('reconcile');
      if (!accounting.isBalanced) differences.push(`reconcile: ${JSON.stringify(accounting.differences)}`);
    },
    onComplaint: (complaint) => complaints.push(`reconcile: ${complaint}`),
  });
  const scrapers = ROLES.map((role) => repeat(() => look(role, SCRAPE_PATH, judgeScrape)));
  let reads = 0;
  const reader = repeat(async () => {
    const path = READ_PATHS[reads % READ_PATHS.length] ?? READ_PATHS[0];
    reads += 1;
    await look('admin', path, judgeRead);
  });
  const work = Promise.all([...scrapers, reader]);
  const satisfied = async (): Promise<void> => {
    await eventually(
      () => Promise.resolve([...answered]),
      ({ length }) => length === expected,
      2 * HUNG_MS,
    );
  };
  return {
    complaints: () => complaints,
    differences: () => differences,
    satisfied,
    looked: () => {
      answered.clear();
      return satisfied();
    },
    waiting: () => waiting,
    async stop() {
      stopping.abort();
      await Promise.all([work, operator.stop()]);
    },
  };
}

/** The answer, or the reason why there is none. */
async function ask(
  url: string,
  stopping: AbortSignal,
): Promise<{ readonly status: number; readonly text: string } | string> {
  const { signal, end } = deadlineSignal(HUNG_MS, stopping);
  try {
    const answer = await fetch(url, { headers: { authorization: ADMIN_TOKEN }, signal });
    return { status: answer.status, text: await answer.text() };
  } catch (error) {
    return error instanceof Error ? `${error.message}: ${String(error.cause)}` : String(error);
  } finally {
    end();
  }
}
