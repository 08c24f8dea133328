import type { AccountingReader } from '#core/accounting';
import {
  type Config,
  Counter,
  type Job,
  type Log,
  type Registry,
  staggerStarts,
  startJob,
} from '#base/runtime';
import { followVerdicts } from '#base/postgres';
import { findSilentRelays, findTroubles, findVerdicts } from '../verdicts/evaluate.ts';
import type { Findings } from '../verdicts/store/record-findings.ts';
import type { VerdictsStore } from '../verdicts/store.ts';
import { courierOf } from './courier-of.ts';
import { createEndingGauge } from './ending-gauge.ts';
import { type NotifierStore, asOnlyNotifier, openNotifierStore } from './store/notifier-store.ts';
import { createSender } from './send-due.ts';

export type NotifierOptions = {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  readonly accounting: AccountingReader;
  readonly verdicts: VerdictsStore;
  readonly settleAnybody: () => Promise<void>;
};

/** Another process takes over after this time. */
const TAKE_OVER_MS = 15_000;
const EVALUATE_MS = 60_000;
/** The accounting takes more time to read. */
const COMPARE_MS = 300_000;
const DISPATCH_MS = 1000;
const GATHER_MS = 10_000;
const PRUNE_MS = 3_600_000;
const FIRST_EVALUATION_MS = 10_000;

const OUTCOMES = ['accepted', 'failed'] as const;

/**
 * Follows the verdicts and sends messages, in one process of all. It only looks on: it has connections of its own, and each read of
 * the engines has a deadline.
 */
export function startNotifier(options: NotifierOptions): Job {
  const { config, log, registry } = options;
  const attempts = new Counter({
    name: 'flagmeter_notifications_attempts_total',
    help: 'Attempts to send a notification, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // From zero on, so that Prometheus sees the first one.
  for (const outcome of OUTCOMES) attempts.inc({ outcome }, 0);
  const ending = createEndingGauge(registry);
  return startJob({ name: 'notifications', pauseMs: TAKE_OVER_MS, log }, async (signal) => {
    await asOnlyNotifier(config.postgres, signal, async (stopping) => {
      await options.settleAnybody();
      const store = openNotifierStore(config.postgres, log);
      try {
        await work({ ...options, attempts, ending }, store, stopping);
      } finally {
        ending.show([]);
        await store.close();
      }
    });
  });
}

type WorkOptions = NotifierOptions & {
  readonly attempts: Counter<'outcome'>;
  readonly ending: ReturnType<typeof createEndingGauge>;
};

/** Runs the jobs until the signal. */
async function work(options: WorkOptions, store: NotifierStore, stopping: AbortSignal): Promise<void> {
  const { config, log, accounting, verdicts, attempts, ending } = options;
  const sender = createSender({
    deliver: courierOf(config.notifications),
    takeDue: (busy) => store.takeDue(busy),
    recordAttempt(due, problem) {
      attempts.inc({ outcome: problem === undefined ? 'accepted' : 'failed' });
      return store.recordAttempt(due, problem);
    },
    onLost(err) {
      log.warn({ err }, 'outcome of a notification not recorded, sent again');
    },
  });
  const next = staggerStarts();
  const start = (name: string, pauseMs: number, run: () => Promise<void>): Job =>
    startJob({ name, pauseMs, startAfterMs: next(), log }, run);
  // A process has more urgent work when it starts.
  const startLater = (name: string, pauseMs: number, run: () => Promise<void>): Job =>
    startJob({ name, pauseMs, startAfterMs: FIRST_EVALUATION_MS + next(), log }, run);
  const follow = (find: () => Promise<Findings>): Promise<void> =>
    followVerdicts(config.postgres, async () => {
      await store.recordFindings(await find());
    });
  const jobs = [
    start('dispatch of notifications', DISPATCH_MS, async () => {
      while (await store.dispatchCauses(config.notifications.perHour)) if (stopping.aborted) return;
    }),
    start('sending of notifications', DISPATCH_MS, async () => {
      await store.pauseAbandoned();
      await sender.round(stopping);
    }),
    start('summaries of notifications', GATHER_MS, () => store.gatherHeld()),
    start('pruning of notifications', PRUNE_MS, () => store.prune()),
    startLater('recorded verdicts', EVALUATE_MS, async () => {
      await follow(() => findVerdicts(verdicts));
      await store.observeCleanUps();
    }),
    startLater('silent relays', EVALUATE_MS, () =>
      follow(async () => findSilentRelays(await store.listSilentRelays())),
    ),
    startLater('ends of tokens', EVALUATE_MS, async () => {
      await store.warnOfEndingTokens();
      ending.show(await store.findEndingTokens());
    }),
    startLater('accounting for notifications', COMPARE_MS, () => follow(() => findTroubles(accounting))),
  ];
  await untilAborted(stopping);
  await Promise.all(jobs.map((job) => job.stop()));
  await sender.finish();
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => {
      resolve();
    });
  });
}
