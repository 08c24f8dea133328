import type { Context, Middleware } from 'koa';
import type { Credentials } from '#base/auth';
import {
  type Exchange,
  HttpProblem,
  addressOf,
  authenticate,
  checkContentType,
  checkDeclaredLength,
  decodeBody,
  encodingOf,
  parseJson,
  readBody,
  setRoute,
} from '#base/http';
import { encodeRelayReport, readRelayReport } from '#fleet/relays';
import { type Log, inBackground } from '#base/runtime';
import { type ApiToken, mayIngest } from '#base/tokens';
import { Admission } from '../bodies/admission.ts';
import type { IngestMetrics } from '../metrics.ts';
import type { PartitionSender } from '../publish/partition-sender.ts';
import type { PublishOutcome } from '../publish/pending.ts';
import { notingRejections } from '../problems/noting-rejections.ts';
import type { ProblemReports } from '../problems/report-problems.ts';
import { type ObservedBody, observeBody } from './observe-body.ts';
import { ReportBudget } from './report-budget.ts';

export const REPORTS_PATH = '/api/client/metrics/edge';

/** As the router reads the path: its case and a slash at its end make no difference. */
const IS_REPORTS_PATH = /^\/api\/client\/metrics\/edge\/?$/i;

/** Their own room, so that reports leave that of batches alone. One token, or in front of Unleash one address, gets a quarter. */
const ROOM = { maxBytes: 16 * 1024 * 1024, maxRequests: 4000 };
/** For the rest of a body that Unleash did not read. */
const REST_WITHIN_MS = 2000;

export type ReportOptions = {
  readonly credentials: Pick<Credentials, 'relayTokens'>;
  readonly limitRate: (ctx: Exchange, token: ApiToken) => void;
  readonly sender: Pick<PartitionSender, 'submit'>;
  readonly metrics: Pick<IngestMetrics, 'relayReports'>;
  readonly problems: Pick<ProblemReports, 'noteRejected'>;
  readonly maxBodyBytes: number;
  readonly log: Log;
};

export type ReportReceiver = {
  /** Receives a report, and answers it. */
  readonly receive: (ctx: Exchange) => Promise<void>;
  /** In front of Unleash: Unleash gets each report and answers it, and we store it as well. */
  readonly alongside: (pass: Middleware) => Middleware;
};

/**
 * Receives the reports of relays about themselves. They are no counts: a report that cannot be stored is lost, or the relay adds its
 * numbers to the next one.
 */
export function createReportReceiver(options: ReportOptions): ReportReceiver {
  const admission = new Admission(ROOM);
  const store = createStore(options);
  const keep = createKeep(options, store);
  return {
    receive: createReceive(options, { admission, store }),
    alongside: (pass) => async (ctx, next) => {
      const isReport = ctx.method === 'POST' && IS_REPORTS_PATH.test(ctx.path);
      const room = isReport ? admission.reserve(addressOf(ctx.ip), 0) : undefined;
      if (room === undefined) {
        await pass(ctx, next);
        return;
      }
      const { authorization = '' } = ctx.headers;
      const observed = observeBody(ctx.req, { limit: options.maxBodyBytes, reserve: room.add });
      let isForgotten = false;
      try {
        await pass(ctx, next);
        // A relay that got no whole answer sends these numbers again.
        isForgotten = ctx.res.writableFinished && forgetsAfter(ctx.res.statusCode);
      } finally {
        // The answer is that of Unleash, whatever becomes of our copy.
        inBackground(keep({ ctx, authorization, observed, isForgotten, release: room.release }));
      }
    },
  };
}

type Parts = { readonly admission: Admission; readonly store: Store };

function createReceive(
  { credentials, limitRate, maxBodyBytes, problems }: ReportOptions,
  { admission, store }: Parts,
): ReportReceiver['receive'] {
  return notingRejections(problems, async (ctx, seen) => {
    const token = await authenticate(credentials.relayTokens, ctx, (found) => mayIngest(seen(found)));
    limitRate(ctx, token);
    checkContentType(ctx.req);
    const encoding = encodingOf(ctx.req);
    checkDeclaredLength(ctx.req, encoding, maxBodyBytes);
    const room = admission.reserve(token.id, 0);
    if (room === undefined) throw unavailable();
    try {
      const onBytes = (bytes: number): void => {
        if (!room.add(bytes)) throw unavailable();
      };
      const body = await readBody(ctx.req, { encoding, limit: maxBodyBytes, onBytes });
      if ((await store(token, body, { isForgotten: true })) !== 'stored') throw unavailable();
      ctx.body = null;
      ctx.status = 202;
    } finally {
      room.release();
    }
  });
}

/** Whether Edge begins new sums after this answer. After any other answer it adds to those of the report. */
function forgetsAfter(status: number): boolean {
  return status < 300 || status === 403 || status === 404;
}

type Copy = {
  readonly ctx: Context;
  readonly authorization: string;
  readonly observed: ObservedBody;
  readonly isForgotten: boolean;
  readonly release: () => void;
};

/** Stores the copy of a report that Unleash has answered. Never rejects. */
function createKeep({ credentials, maxBodyBytes, metrics, problems, log }: ReportOptions, store: Store) {
  return async ({ ctx, authorization, observed, isForgotten, release }: Copy): Promise<void> => {
    let tokenId: string | undefined;
    try {
      const body = await observed.whole(REST_WITHIN_MS);
      if (body === undefined || authorization === '') return;
      const verification = await credentials.relayTokens.verify(authorization, addressOf(ctx.ip));
      if (typeof verification === 'string' || !mayIngest(verification.token)) return;
      tokenId = verification.token.id;
      if (body === 'too-large') throw new HttpProblem(413, 'The report is larger than accepted.');
      const decoded = await decodeBody(body, encodingOf(ctx.req), maxBodyBytes);
      await store(verification.token, decoded, { isForgotten });
    } catch (err) {
      metrics.relayReports.inc({ outcome: 'invalid' });
      // The request is over, so only this note shows its route.
      setRoute(ctx, REPORTS_PATH);
      if (err instanceof HttpProblem) problems.noteRejected(ctx, tokenId, err);
      else log.warn({ err }, 'report of a relay not stored');
    } finally {
      release();
    }
  };
}

/** `isForgotten`: the relay begins new sums. Otherwise its next report contains those of this one, which are left out here. */
type Store = (
  token: ApiToken,
  body: Buffer,
  options: { readonly isForgotten: boolean },
) => Promise<PublishOutcome>;

/** Throws a 400 or a 429 if the report is not sent to Kafka. */
function createStore({ sender, metrics }: ReportOptions): Store {
  const budget = new ReportBudget();
  return async ({ id: tokenId, environment }, body, { isForgotten }) => {
    const read = readRelayReport(parseJson(body));
    if ('problems' in read)
      throw new HttpProblem(400, 'The body does not match the schema of a report.', {
        details: read.problems,
        bodyProblem: 'schema',
      });
    if (!budget.spend(tokenId, read.relays.length, Date.now()))
      throw new HttpProblem(429, 'The token has reported too many relays in this minute.', {
        headers: { 'Retry-After': '60' },
      });
    const relays = isForgotten ? read.relays : read.relays.map((relay) => ({ ...relay, requests: 0 }));
    const outcome = await sender.submit(encodeRelayReport({ tokenId, environment, relays }));
    metrics.relayReports.inc({ outcome });
    return outcome;
  };
}

function unavailable(): HttpProblem {
  return new HttpProblem(503, 'The report was not stored.', { headers: { 'Retry-After': '60' } });
}
