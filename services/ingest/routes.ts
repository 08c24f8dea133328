import Router from '@koa/router';
import type { Credentials } from '#base/auth';
import { type DirectHandlers, type Exchange, HttpProblem, authenticate, traceRequests } from '#base/http';
import type { Config, Tracing } from '#base/runtime';
import { type ApiToken, hashSecret, mayIngest, mayIngestFromBrowser, secretOf } from '#base/tokens';
import { allowBrowsers } from './allow-browsers.ts';
import type { Annex, AnnexParts, Handler } from './annex.ts';
import { type BodyForm, createBodyForms } from './body-forms.ts';
import type { IngestMetrics } from './metrics.ts';
import { type NotedHandler, notingRejections } from './problems/noting-rejections.ts';
import type { ProblemReports } from './problems/report-problems.ts';
import { type ReceiveOptions, leaveUnanswered, receiveBatch, senderOfRequest } from './receive-batch.ts';
import { createTokenValidation } from './tokens/validate-tokens.ts';

export type RouteOptions = {
  readonly config: Config;
  readonly credentials: Pick<Credentials, 'relayTokens' | 'verifyOnly' | 'uses' | 'rates'>;
  readonly metrics: IngestMetrics;
  /** What all routes of batches share. */
  readonly receiving: Omit<ReceiveOptions, 'form' | 'onSeenTokens' | 'onRefused'>;
  readonly annexes: readonly Annex[];
  readonly limitRate: AnnexParts['limitRate'];
  readonly problems: Pick<ProblemReports, 'noteRejected' | 'noteRefused'>;
  /** Undefined if batches are not traced. */
  readonly tracing?: Tracing | undefined;
};

export type Routes = {
  /** All routes of ingest. */
  readonly router: Router;
  /** Those of servers, which send nearly all requests, with exactly these paths. The router also serves other spellings. */
  readonly direct: DirectHandlers;
};

/** The routes that receive batches, those of the annexes, and the one that validates tokens. */
export function createRoutes(options: RouteOptions): Routes {
  const { config, credentials, metrics } = options;
  const router = new Router();
  const receive = createReceive(options);
  const direct = new Map<string, Handler>();
  for (const [path, form] of createBodyForms()) {
    const handle = countAnswers(metrics, receive(form));
    if (form.sentBy === 'servers') {
      router.post(path, handle);
      direct.set(path, handle);
    } else router.register(path, ['POST', 'OPTIONS'], [allowBrowsers, handle]);
  }
  for (const [path, handle] of options.annexes.flatMap(({ routes }) => routes?.(receive) ?? [])) {
    const counted = countAnswers(metrics, handle);
    router.post(path, counted);
    direct.set(path, counted);
  }
  const validate = createTokenValidation(credentials.verifyOnly, config.ingest.maxBodyBytes);
  router.post('/edge/validate', countAnswers(metrics, notingRejections(options.problems, validate)));
  return { router, direct };
}

/** Receives a batch of a form: who sends it, how often, and what it contains. */
function createReceive({
  credentials,
  tracing,
  annexes,
  limitRate,
  problems,
  receiving,
}: RouteOptions): (form: BodyForm) => Handler {
  const trace = tracing === undefined ? untraced : traceRequests(tracing);
  const onSeenTokens: ReceiveOptions['onSeenTokens'] = (secrets, authorization) => {
    for (const secret of secrets) credentials.uses.note(hashSecret(secret));
    for (const annex of annexes) annex.onSeenTokens?.(secrets, secretOf(authorization));
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

function mayRepeat({ req }: Exchange, { publisher }: RouteOptions['receiving']): boolean {
  return publisher()?.mayRepeat(senderOfRequest(req)) ?? false;
}

async function untraced(_ctx: Exchange, next: () => Promise<void>): Promise<void> {
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
