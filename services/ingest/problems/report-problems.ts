import { randomUUID } from 'node:crypto';
import type { RejectedBodiesWrite, RejectedBody } from '#base/auth';
import { displayableName } from '#base/schema';
import type { Refusal } from '#core/counting';
import { type Exchange, HttpProblem, bodyProblemOf, labelsOf } from '#base/http';
import type { Log } from '#base/runtime';
import type { IngestMetrics } from '../metrics.ts';
import { placeInBody } from './place-in-body.ts';
import { type ProblemSum, ProblemSums } from './problem-sums.ts';

/** Shows operators which bodies are rejected and which rows refused, outside the hot path. A crash loses the last minute. */
export type ProblemReports = {
  /** Notes the error of a request, if it rejects the body. `tokenId`: undefined without a valid token. */
  noteRejected(ctx: Exchange, tokenId: string | undefined, error: unknown): void;
  /** Notes the refused parts of an accepted body. */
  noteRefused(ctx: Exchange, tokenId: string, refusals: readonly Refusal[]): void;
  /** Logs and writes what is left. */
  close(): Promise<void>;
};

export type ProblemReportOptions = {
  /** Stores sums; a repetition of the same write must change nothing. */
  readonly write: (write: RejectedBodiesWrite) => Promise<void>;
  readonly metrics: Pick<IngestMetrics, 'rejectedBodies'>;
  readonly log: Log;
};

/** The first problem is reported soon, later ones once a minute. */
const FIRST_MS = 1000;
const BETWEEN_MS = 60_000;

type RefusedRows = Pick<Refusal, 'kind' | 'reason'> & { readonly path: string; readonly place: string };

/** States: idle -> waiting (something was noted; the timer runs) -> reporting -> idle, or waiting again. */
export function createProblemReports({ write, metrics, log }: ProblemReportOptions): ProblemReports {
  const rejected = new ProblemSums<RejectedBody>();
  const refused = new ProblemSums<RefusedRows>();
  const writeAll = createWriter(write);
  let timer: NodeJS.Timeout | undefined;
  let reporting = Promise.resolve();
  let reportedAt = -Infinity;

  const wake = (): void => {
    timer ??= setTimeout(
      startReport,
      Math.max(FIRST_MS, reportedAt + BETWEEN_MS - performance.now()),
    ).unref();
  };
  const startReport = (): void => {
    reporting = reportAfter(reporting);
  };
  const reportAfter = async (earlier: Promise<void>): Promise<void> => {
    await earlier;
    timer = undefined;
    reportedAt = performance.now();
    logRefused(log, refused);
    const sums = rejected.take();
    logRejected(log, sums);
    try {
      await writeAll(sums);
    } catch (err) {
      log.warn({ err }, 'rejected bodies not written');
      wake();
    }
  };

  return {
    noteRejected(ctx, tokenId = '', error) {
      const problem = error instanceof HttpProblem ? bodyProblemOf(error) : undefined;
      if (!(error instanceof HttpProblem) || problem === undefined) return;
      metrics.rejectedBodies.inc({ problem });
      rejected.add({ tokenId, problem, count: 1, at: Date.now() }, () => describe(ctx, error));
      wake();
    },
    noteRefused(ctx, tokenId, refusals) {
      for (const { kind, reason, metrics: count, place = '' } of refusals)
        refused.add({ tokenId, problem: `${kind} ${reason}`, count, at: Date.now() }, () => ({
          kind,
          reason,
          path: labelsOf(ctx).route,
          place: placeInBody(place),
        }));
      if (refusals.length > 0) wake();
    },
    async close() {
      clearTimeout(timer);
      startReport();
      await reporting;
      clearTimeout(timer);
    },
  };
}

/**
 * Writes sums. What was not confirmed stays as it is for the next call, because a repetition of the same write changes nothing;
 * meanwhile more is added up beside it.
 */
function createWriter(write: ProblemReportOptions['write']) {
  const unwritten = new ProblemSums<RejectedBody>();
  const writer = randomUUID();
  let open: RejectedBodiesWrite | undefined;
  let writes = 0;
  return async (sums: readonly ProblemSum<RejectedBody>[]): Promise<void> => {
    unwritten.merge(sums);
    while (open !== undefined || !unwritten.isEmpty) {
      open ??= { writer, number: (writes += 1), sums: unwritten.take() };
      await write(open);
      open = undefined;
    }
  };
}

function logRejected(log: Log, rejected: readonly ProblemSum<RejectedBody>[]): void {
  for (const { tokenId, problem, count: bodies, example } of rejected) {
    const { status, path, place, message } = example;
    log.warn({ tokenId, problem, bodies, status, path, place, message }, 'bodies rejected');
  }
}

function logRefused(log: Log, refused: ProblemSums<RefusedRows>): void {
  for (const { tokenId, count, example } of refused.take())
    log.warn({ tokenId, ...example, count }, 'refused');
}

/** The longest header that is kept. */
const MAX_HEADER = 100;

function describe(ctx: Exchange, { status, message, place, details = [] }: HttpProblem): RejectedBody {
  const [first] = details;
  return {
    status,
    path: labelsOf(ctx).route,
    place: placeInBody(place ?? first?.path ?? ''),
    message: first === undefined ? message : `${message.replace(/\.$/, '')}: ${first.message}`,
    appName: shown(ctx.get('unleash-appname')),
    sdk: shown(ctx.get('unleash-sdk') || ctx.get('user-agent')),
  };
}

/** Node reads each byte of a header as one character. */
function shown(header: string): string {
  return displayableName(Buffer.from(header, 'latin1').toString('utf8').slice(0, MAX_HEADER));
}
