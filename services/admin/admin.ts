import { join } from 'node:path';
import type Router from '@koa/router';
import type { Middleware } from 'koa';
import { openWholeAccounting } from '#unleash/history';
import { type Credentials, findCredential, readMachines } from '#base/auth';
import {
  type Config,
  type Job,
  type Log,
  type Registry,
  type Tracing,
  projectRoot,
  staggerStarts,
  startJob,
} from '#base/runtime';
import { type FeatureChanger, createFeatureChanger, createUnleash } from '#unleash/client';
import { registerAccountingMetrics } from './usage/accounting/metrics.ts';
import { createRecorder } from './record/audit/store/record-in-turn.ts';
import { startScheduleJob } from './flags/change-requests/job.ts';
import { startHarmfulJob } from './flags/features/harmful/job.ts';
import { createPassOn } from './flags/features/change/pass-on.ts';
import { createConsoleRouter } from './http/console.ts';
import { createHelpRouter } from './http/help.ts';
import { createDocsRouter } from './http/document/docs.ts';
import { createAdminMiddleware } from './http/middleware.ts';
import { type Performer, type PerformerParts, createPerformer } from './http/perform.ts';
import { type Rejections, createRejections } from './http/requests/rejections.ts';
import { createOperationRouter } from './http/router.ts';
import { createQueues } from './http/turns/queues.ts';
import { createMcpRouter } from './doors/mcp/router.ts';
import { startNotifier } from './advice/notifications/notifier.ts';
import { createOperations } from './operations.ts';
import { type SignIn, openSignIn } from './people/sign-in/sign-in.ts';
import { type OpenStores, isEngineUnavailable, openStores } from './stores.ts';
import { connectionsOf } from './pools.ts';
import type { Announce } from './people/tokens/operations.ts';

/** `db` is used for tokens of rejected callers, because all connections of the API's own pools may be in use. */
export type AdminOptions = Pick<Credentials, 'tokens' | 'revocations' | 'postgres' | 'db'> & {
  readonly config: Config;
  readonly log: Log;
  readonly registry: Registry;
  /** For the metrics that are the same in each process of an installation; the default is `registry`. */
  readonly accountingRegistry?: Registry;
  /** Undefined if requests are not traced. */
  readonly tracing?: Tracing | undefined;
};

export type Admin = {
  /** The API, its documentation and the console. */
  readonly routers: readonly Router[];
  /** Runs before these routers. It leaves the paths of others alone. */
  readonly middleware: readonly Middleware[];
  /** The reason why the service is not ready; undefined if it is ready. */
  readiness(): string | undefined;
  /** Ends the jobs and closes what this service opened. Call it after the last request. */
  stop(): Promise<void>;
};

/** The deadline for each engine; the accounting may cover months of blocks. */
const ACCOUNTING_DEADLINE_MS = 8000;

/** `make build` writes the console there. */
const CONSOLE = join(projectRoot(import.meta.dirname), 'dist/console');
const HELP = join(projectRoot(import.meta.dirname), 'dist/help');

const AUDIT_PAUSE_MS = 1000;
const FOLD_PAUSE_MS = 60_000;
const PURGE_PAUSE_MS = 3_600_000;

/** The admin API, and the jobs that apply scheduled change requests, turn harmful features off, and send notifications. */
export function createAdmin(options: AdminOptions): Admin {
  const { config, log, registry, tracing, revocations, postgres, db } = options;
  if (config.auth.type === 'none')
    log.warn('AUTH_TYPE is none: whoever reaches this port may do everything with the admin API');
  const { corsOrigins, hasAccessLog, mcpTools } = config.admin;
  const accounting = openWholeAccounting(config, log, ACCOUNTING_DEADLINE_MS);
  const { stores, dailyWrites, ...opened } = openStores(config, accounting, log);
  registerAccountingMetrics(options.accountingRegistry ?? registry, accounting, log);
  const passOn = createPassOn(stores.pools.db, featureChangerOf(config));
  const signIn = openSignIn({ config, db, revocations, log });
  const rejections = createRejections({
    log,
    sessionCookie: signIn?.access.cookies.session,
    findCredential: (hash) => findCredential(db, hash),
    recorder: createRecorder(db, log),
  });
  const announce = createAnnounce(options);
  const { notifications: targetRules } = config;
  const { maxTokenDays } = config.auth;
  const operations = createOperations(stores, { announce, maxTokenDays, passOn, targetRules });
  const { lookups } = stores;
  const noteRejection = rejections.note;
  const performer = createGuard(options, { dailyWrites, signIn, lookups, noteRejection });
  const consoleRouter = createConsoleRouter(CONSOLE, config.auth.type);
  if (consoleRouter === undefined) log.warn('the console is not built: run make build');
  const signInRouter = signIn?.createRouter({
    performer,
    announce,
    isUnavailable: isEngineUnavailable,
    noteRejection,
  });
  const mcp = { operations, performer, origins: corsOrigins, log };
  const next = staggerStarts();
  const jobs = [
    startScheduleJob((turn) => opened.applyNextScheduled(turn), { startAfterMs: next(), log }),
    startHarmfulJob(
      { readHarmful: () => opened.readHarmful(), db: stores.pools.db, passOn },
      { startAfterMs: next(), log },
    ),
    startNotifier({ ...opened, config, log, registry, accounting, verdicts: stores.verdicts }),
    ...startChores({ opened, rejections, log, next, purgeSessions: () => stores.sessions.purge() }),
  ];
  return {
    routers: [
      createOperationRouter(operations, performer),
      createDocsRouter(operations),
      mcpTools === 'none' ? undefined : createMcpRouter({ ...mcp, tools: mcpTools }),
      signInRouter,
      consoleRouter,
      createHelpRouter(HELP),
    ].filter((router) => router !== undefined),
    middleware: createAdminMiddleware({ corsOrigins, tracing, registry, log, isLogged: hasAccessLog }),
    readiness: () => postgres.trouble(),
    async stop() {
      await Promise.all(jobs.map((job) => job.stop()));
      await rejections.end();
      await Promise.all([opened.close(), accounting.close()]);
    },
  };
}

type Chores = {
  readonly opened: Pick<OpenStores, 'foldEventCounts' | 'logEntries' | 'pruneAudit' | 'pruneRejectedBodies'>;
  readonly rejections: Rejections;
  readonly purgeSessions: () => Promise<void>;
  readonly log: Log;
  /** The wait before the first run of the next job. */
  readonly next: () => number;
};

function startChores({ opened, rejections, purgeSessions, log, next }: Chores): Job[] {
  return [
    startJob({ name: 'audit', pauseMs: AUDIT_PAUSE_MS, startAfterMs: next(), log }, async () => {
      rejections.sumUp();
      await opened.logEntries();
    }),
    startJob({ name: 'number of events', pauseMs: FOLD_PAUSE_MS, startAfterMs: next(), log }, () =>
      opened.foldEventCounts(),
    ),
    startJob(
      { name: 'purge of sessions', pauseMs: PURGE_PAUSE_MS, startAfterMs: next(), log },
      purgeSessions,
    ),
    startJob({ name: 'retention of the audit', pauseMs: PURGE_PAUSE_MS, startAfterMs: next(), log }, () =>
      opened.pruneAudit(),
    ),
    startJob(
      { name: 'retention of rejected bodies', pauseMs: PURGE_PAUSE_MS, startAfterMs: next(), log },
      () => opened.pruneRejectedBodies(),
    ),
  ];
}

type GuardParts = Pick<PerformerParts, 'dailyWrites' | 'lookups' | 'noteRejection'> & {
  readonly signIn: SignIn | undefined;
};

function createGuard(
  { config, registry, tokens }: AdminOptions,
  { dailyWrites, lookups, signIn, noteRejection }: GuardParts,
): Performer {
  return createPerformer({
    identification: {
      authType: config.auth.type,
      hosts: config.auth.hosts,
      origins: config.admin.corsOrigins,
      tokens,
      sessions: signIn?.access,
    },
    lookups,
    dailyWrites,
    queues: createQueues(connectionsOf(config.admin)),
    registry,
    isUnavailable: isEngineUnavailable,
    noteRejection,
  });
}

function featureChangerOf({ unleash }: Config): FeatureChanger | undefined {
  return unleash?.adminToken === undefined
    ? undefined
    : createFeatureChanger(createUnleash({ url: unleash.url }), unleash.adminToken);
}

/** The change is already stored. Processes that do not hear of it read a token that they cache again within a minute. */
function createAnnounce({ config, db, revocations, log }: AdminOptions): Announce {
  return async (tokenIds) => {
    for (const tokenId of tokenIds) log.info({ tokenId }, 'token revoked');
    try {
      const receivers = await Promise.all(tokenIds.map((tokenId) => revocations.announce(tokenId)));
      if (receivers.includes(0)) log.warn('revocation announced, but no process has heard it');
      if (config.redis !== undefined) return;
      const { names, areApart } = await readMachines(db);
      if (areApart) log.error({ machines: names }, 'revocation not announced to other machines');
    } catch (err) {
      log.warn({ err }, 'revocation not announced');
    }
  };
}
