import { type Group, LostPartition, withHeartbeats } from '#core/kafka';
import { type Log, createBackoff } from '#base/runtime';
import { type PushOutcome, type Unleash, pushBatch } from '#unleash/client';
import type { FailedReason, Kind, MirrorMetrics, Outcome } from './metrics.ts';
import type { TokenGrace } from './token-grace.ts';

/** What all posts of a process share. */
export type Delivery = {
  readonly unleash: Unleash;
  /** Client tokens by environment. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly unanswered: 'repeat' | 'lose';
  readonly metrics: MirrorMetrics;
  readonly log: Log;
  /** Messages that were logged, and when (epoch milliseconds). */
  readonly warned: Map<string, number>;
  readonly tokenGrace: TokenGrace;
  /** Ends waits between attempts. */
  readonly signal: AbortSignal;
  /** Ends posts without an answer. */
  readonly postSignal: AbortSignal;
};

export type Post = {
  readonly kind: Kind;
  readonly environment: string;
  readonly secret: string;
  readonly applications: readonly unknown[];
  readonly metrics: readonly unknown[];
  readonly impactMetrics?: readonly unknown[];
  /** Samples in `impactMetrics`. */
  readonly samples?: number;
  readonly evaluations: number;
  /** An earlier process may have sent it already. */
  readonly isInDoubt?: boolean;
  /** Records whether the post may have been sent. Only what Unleash adds up needs it. */
  readonly note?: (isSent: boolean) => Promise<void>;
};

/** If Unleash is unreachable or overloaded, we soon try again. If an operator must correct something, we try once a minute. */
const PAUSES = {
  soon: { firstMs: 500, maxMs: 15_000 },
  slowly: { firstMs: 5000, maxMs: 60_000 },
} as const;

/** The outcome of a post that has ended, or how soon we try again. */
type Decision =
  | { readonly outcome: Outcome; readonly status: number }
  | { readonly outcome: 'left out' }
  | { readonly outcome: 'again'; readonly pause: keyof typeof PAUSES };

/**
 * Posts until the outcome is final: accepted, rejected, left out because Unleash rejects the token, or, if the settings say so,
 * given up without an answer. The pauses between attempts grow. Throws LostPartition if the group moves on or the process stops.
 */
export async function deliver(delivery: Delivery, group: Group, post: Post): Promise<void> {
  const { metrics, signal } = delivery;
  const pauses = { soon: createBackoff(PAUSES.soon), slowly: createBackoff(PAUSES.slowly) };
  let decision = post.isInDoubt === true ? doubtOf(delivery, post) : await attempt(delivery, group, post);
  while (decision.outcome === 'again') {
    if (signal.aborted || group.isStopping()) throw new LostPartition();
    await withHeartbeats(group, pauses[decision.pause].wait(signal));
    decision = await attempt(delivery, group, post);
  }
  if (decision.outcome === 'left out') {
    leaveOut(delivery, post);
    return;
  }
  metrics.posts.inc({ kind: post.kind, ...decision });
  metrics.evaluations.inc({ outcome: decision.outcome }, post.evaluations);
}

/** An earlier process got no answer, which means the same as if we got none. */
function doubtOf(delivery: Delivery, post: Post): Decision {
  delivery.metrics.evaluations.inc({ outcome: 'unanswered' }, post.evaluations);
  return decisionOn(delivery, post, { outcome: 'unanswered' });
}

/** One attempt. It logs and counts a failure. */
async function attempt(delivery: Delivery, group: Group, post: Post): Promise<Decision> {
  const { unleash, postSignal: signal } = delivery;
  const { secret, applications, metrics, impactMetrics } = post;
  group.check();
  await post.note?.(true);
  const push = { secret, body: { applications, metrics, impactMetrics }, signal };
  const result = await withHeartbeats(group, pushBatch(unleash, push));
  const decision = decisionOn(delivery, post, result);
  report(delivery, post, { result, decision });
  if (decision.outcome === 'again') await post.note?.(false);
  return decision;
}

function decisionOn(
  { unanswered, tokenGrace }: Delivery,
  { environment }: Post,
  result: PushOutcome,
): Decision {
  const isTokenGivenUp = tokenGrace.isOver(environment, result);
  switch (result.outcome) {
    case 'accepted':
    case 'rejected':
      return result;
    case 'unanswered':
      return unanswered === 'lose' ? { outcome: 'lost', status: 0 } : { outcome: 'again', pause: 'soon' };
    case 'failed': {
      if (isTokenGivenUp) return { outcome: 'left out' };
      const isMendable = result.reason === 'token' || result.reason === 'address';
      return { outcome: 'again', pause: isMendable ? 'slowly' : 'soon' };
    }
  }
}

type Attempted = { readonly result: PushOutcome; readonly decision: Decision };

function report(delivery: Delivery, post: Post, { result, decision }: Attempted): void {
  const { metrics, log } = delivery;
  const { kind, environment, evaluations } = post;
  switch (result.outcome) {
    case 'accepted':
      break;
    case 'rejected':
      warnHourly(
        delivery,
        { kind, environment, status: result.status },
        'Unleash rejects posts: they are not sent again',
      );
      break;
    case 'unanswered':
      metrics.evaluations.inc({ outcome: 'unanswered' }, evaluations);
      fail(metrics, post, 'unanswered');
      log.warn({ kind, environment }, 'Unleash did not answer a post, and may have counted it');
      break;
    case 'failed': {
      const { reason, status } = result;
      fail(metrics, post, reason);
      if (decision.outcome === 'again') log.warn({ kind, environment, status }, MESSAGES[reason]);
    }
  }
}

const MESSAGES = {
  unreachable: 'Unleash cannot be reached, trying again',
  overloaded: 'Unleash does not accept a post now, trying again',
  token: 'Unleash does not accept the mirror token of this environment: correct UNLEASH_MIRROR_TOKENS',
  address: 'Unleash has no such address: correct UNLEASH_URL',
} as const;

function leaveOut(delivery: Delivery, { kind, environment, applications, metrics, samples = 0 }: Post): void {
  delivery.metrics.leftOut.inc({ kind, reason: 'token' }, applications.length + metrics.length + samples);
  warnHourly(
    delivery,
    { environment },
    'Unleash still does not accept the mirror token of this environment: its counts are left out',
  );
}

function fail(metrics: MirrorMetrics, { kind, environment }: Post, reason: FailedReason): void {
  metrics.failedAttempts.inc({ kind, environment, reason });
}

/** A message that would be the same for every post is logged once an hour. */
export function warnHourly(
  { warned, log }: Pick<Delivery, 'warned' | 'log'>,
  fields: Readonly<Record<string, string | number>>,
  message: string,
): void {
  const key = JSON.stringify([message, fields]);
  const now = Date.now();
  const isRecent = now - (warned.get(key) ?? -HOUR_MS) < HOUR_MS;
  if (isRecent || (!warned.has(key) && warned.size >= MAX_WARNED)) return;
  warned.set(key, now);
  log.warn(fields, message);
}

const HOUR_MS = 3_600_000;
const MAX_WARNED = 1000;
