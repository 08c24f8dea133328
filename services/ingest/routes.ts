import Router from '@koa/router';
import type { Context, Middleware, Next } from 'koa';
import type { Credentials } from '#base/auth';
import { HttpProblem, authenticate, setRoute, traceRequests } from '#base/http';
import type { Config, Log, Tracing } from '#base/runtime';
import { type ApiToken, hashSecret, mayIngest, mayIngestFromBrowser, secretOf } from '#base/tokens';
import { allowBrowsers } from './allow-browsers.ts';
import { type BodyForm, createBodyForms } from './body-forms.ts';
import { createRateLimit } from './tokens/limit-rate.ts';
import type { IngestMetrics } from './metrics.ts';
import { createOtlpRoutes } from './opentelemetry/otlp-routes.ts';
import {
  REPORTS_PATH,
  type ReportOptions,
  type ReportReceiver,
  createReportReceiver,
} from './reports/receive-reports.ts';
import { type NotedHandler, notingRejections } from './problems/noting-rejections.ts';
import type { ProblemReports } from './problems/report-problems.ts';
import { type ReceiveOptions, leaveUnanswered, receiveBatch, senderOfRequest } from './receive-batch.ts';
import type { SeenTokens } from './unleash/seen-tokens.ts';
import { createTokenValidation } from './tokens/validate-tokens.ts';

export type RouteOptions = {
  readonly config: Config;
  readonly credentials: Pick<Credentials, 'relayTokens' | 'verifyOnly' | 'uses' | 'rates'>;
  readonly metrics: IngestMetrics;
  /** What all routes of batches share. */
  readonly receiving: Omit<ReceiveOptions, 'form' | 'onSeenTokens' | 'onRefused'>;
  /** Passes on the tokens that relays have seen. Undefined without UNLEASH_URL. */
  readonly seenTokens?: Pick<SeenTokens, 'note'> | undefined;
  readonly problems: Pick<ProblemReports, 'noteRejected' | 'noteRefused'>;
  readonly reportSender: ReportOptions['sender'];
  readonly log: Log;
  /** Undefined if batches are not traced. */
  readonly tracing?: Tracing | undefined;
};

export type Routes = {
  /** All routes of ingest. */
  readonly router: Router;
  /** Serves batches of servers before any other middleware or router sees them. */
  readonly middleware: Middleware;
  readonly reports: Pick<ReportReceiver, 'alongside'>;
};

type Handler = (ctx: Context) => Promise<void>;

/** The routes that receive batches and reports of relays, and the one that validates tokens. */
export function createRoutes(options: RouteOptions): Routes {
  const { config, credentials, metrics, log } = options;
  const router = new Router();
  const receive = createReceive(options);
  const ofServers = new Map<string, Handler>();
  for (const [path, form] of createBodyForms()) {
    const handle = countAnswers(metrics, receive(form));
    if (form.sentBy === 'servers') {
      router.post(path, handle);
      ofServers.set(path, handle);
    } else router.register(path, ['POST', 'OPTIONS'], [allowBrowsers, handle]);
  }
  for (const [path, handle] of createOtlpRoutes(receive, { ...config.ingest.otlp, metrics })) {
    const counted = countAnswers(metrics, handle);
    router.post(path, counted);
    ofServers.set(path, counted);
  }
  const validate = createTokenValidation(credentials.verifyOnly, config.ingest.maxBodyBytes);
  router.post('/edge/validate', countAnswers(metrics, notingRejections(options.problems, validate)));
  const reports = createReportReceiver({
    ...{ credentials, metrics, log, sender: options.reportSender, maxBodyBytes: config.ingest.maxBodyBytes },
    problems: options.problems,
    limitRate: rateLimitOf(options),
  });
  // In front of Unleash, the path stays one of Unleash.
  if (config.unleash === undefined) router.post(REPORTS_PATH, countAnswers(metrics, reports.receive));
  return { router, middleware: serveFirst(ofServers), reports };
}

function rateLimitOf({ config, credentials }: Pick<RouteOptions, 'config' | 'credentials'>) {
  const { rateLimitPerMinute: limitPerMinute } = config.ingest;
  return createRateLimit({ rates: credentials.rates, limitPerMinute });
}

/** Receives a batch of a form: who sends it, how often, and what it contains. */
function createReceive({
  config,
  credentials,
  tracing,
  seenTokens,
  problems,
  receiving,
}: RouteOptions): (form: BodyForm) => Handler {
  const limitRate = rateLimitOf({ config, credentials });
  const trace = tracing === undefined ? untraced : traceRequests(tracing);
  const onSeenTokens: ReceiveOptions['onSeenTokens'] = (secrets, authorization) => {
    for (const secret of secrets) credentials.uses.note(hashSecret(secret));
    seenTokens?.note(secrets, secretOf(authorization));
  };
  return (form) => {
    const isAllowed = form.sentBy === 'servers' ? mayIngest : mayIngestFromBrowser;
    const receiveOptions = { ...receiving, form, onSeenTokens, onRefused: problems.noteRefused };
    const receive: NotedHandler = async (ctx, seen) => {
      let token: ApiToken;
      try {
        token = await authenticate(credentials.relayTokens, ctx, (found) => isAllowed(seen(found)));
      } catch (error) {
        if (!isUnavailable(error) || !mayRepeat(ctx, receiving)) throw error;
        leaveUnanswered(ctx);
        return;
      }
      limitRate(ctx, token);
      await trace(ctx, () => receiveBatch(ctx, token, receiveOptions));
    };
    return notingRejections(problems, receive);
  };
}

/** Whether the token cannot be verified at the moment, which says nothing about an earlier try of the same batch. */
function isUnavailable(error: unknown): boolean {
  return error instanceof HttpProblem && error.status === 503;
}

function mayRepeat({ req }: Context, { publisher }: RouteOptions['receiving']): boolean {
  return publisher()?.mayRepeat(senderOfRequest(req)) ?? false;
}

async function untraced(_ctx: Context, next: Next): Promise<void> {
  await next();
}

function countAnswers({ requests }: IngestMetrics, handle: Handler): Handler {
  return async (ctx) => {
    try {
      await handle(ctx);
      requests.inc({ answer: ctx.respond === false ? 'none' : ctx.status });
    } catch (error) {
      requests.inc({ answer: error instanceof HttpProblem ? error.status : 500 });
      throw error;
    }
  };
}

/**
 * Nearly all requests are batches to exactly these paths. The router took a twentieth of the time of a body of 10 rows to find their
 * route, even without the routes of the admin API. Other spellings of these paths go to the router.
 */
function serveFirst(handlers: ReadonlyMap<string, Handler>): Middleware {
  return (ctx, next) => {
    const { method, url = '' } = ctx.req;
    const handle = method === 'POST' ? handlers.get(url) : undefined;
    if (handle === undefined) return next();
    setRoute(ctx, url);
    return handle(ctx);
  };
}
