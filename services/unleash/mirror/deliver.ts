import { type Group, LostPartition, withHeartbeats } from '#kafka';
import { type Log, createBackoff } from '#runtime';
import { type PushOutcome, type Unleash, pushBatch } from '#unleash';
import type { FailedReason, Kind, MirrorMetrics, Outcome } from './metrics.ts';

/** What all posts of a process share. */
export type Delivery = {
  readonly unleash: Unleash;
  /** Client tokens by environment. */
  readonly secrets: ReadonlyMap<string, string>;
  readonly unanswered: 'repeat' | 'lose';
  readonly metrics: MirrorMetrics;
  readonly log: Log;
  /** Messages that were already logged. */
  readonly warned: Set<string>;
  /** Ends the wait. */
  readonly signal: AbortSignal;
};

export type Post = {
  readonly kind: Kind;
  readonly environment: string;
  readonly secret: string;
  readonly applications: readonly unknown[];
  readonly metrics: readonly unknown[];
  readonly evaluations: number;
  /** An earlier process may have sent it already. */
  readonly isInDoubt?: boolean;
  /** Records whether the post may have been sent. Only counts need it. */
  readonly note?: (isSent: boolean) => Promise<void>;
};

/** If Unleash is away or overloaded, we soon try again. If an operator must correct something, we try once a minute. */
const SOON = { firstMs: 500, maxMs: 15_000 };
const SLOWLY = { firstMs: 5000, maxMs: 60_000 };

/**
 * Posts until the outcome is final: accepted, rejected or, if the settings say so, given up without an answer. The pauses between
 * attempts grow. Throws LostPartition if the group moves on or the process stops.
 */
export async function deliver(delivery: Delivery, group: Group, post: Post): Promise<void> {
  const { metrics, signal } = delivery;
  const [soon, slowly] = [createBackoff(SOON), createBackoff(SLOWLY)];
  let result = post.isInDoubt === true ? doubtOf(delivery, post) : await attempt(delivery, group, post);
  let ending = endingOf(delivery, result);
  while (ending === undefined) {
    if (signal.aborted || group.isStopping()) throw new LostPartition();
    const isMendable = result.outcome === 'failed' && result.reason === 'token';
    await withHeartbeats(group, (isMendable ? slowly : soon).wait(signal));
    result = await attempt(delivery, group, post);
    ending = endingOf(delivery, result);
  }
  metrics.posts.inc({ kind: post.kind, ...ending });
  metrics.evaluations.inc({ outcome: ending.outcome }, post.evaluations);
}

type Ending = { readonly outcome: Outcome; readonly status: number };

/** Undefined if the post must be sent again. */
function endingOf({ unanswered }: Delivery, result: PushOutcome): Ending | undefined {
  if (result.outcome === 'accepted' || result.outcome === 'rejected') return result;
  return result.outcome === 'unanswered' && unanswered === 'lose'
    ? { outcome: 'lost', status: 0 }
    : undefined;
}

/** An earlier process got no answer, which means the same as if we got none. */
function doubtOf({ metrics }: Delivery, { evaluations }: Post): PushOutcome {
  metrics.evaluations.inc({ outcome: 'unanswered' }, evaluations);
  return { outcome: 'unanswered' };
}

/** One attempt. It logs and counts a failure. */
async function attempt(delivery: Delivery, group: Group, post: Post): Promise<PushOutcome> {
  const { unleash, metrics, log } = delivery;
  const { kind, environment, secret, evaluations } = post;
  group.check();
  await post.note?.(true);
  const body = { applications: post.applications, metrics: post.metrics };
  const result = await withHeartbeats(group, pushBatch(unleash, secret, body));
  switch (result.outcome) {
    case 'accepted':
      break;
    case 'rejected':
      warnOnce(
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
      log.warn({ kind, environment, status }, MESSAGES[reason]);
    }
  }
  if (endingOf(delivery, result) === undefined) await post.note?.(false);
  return result;
}

const MESSAGES = {
  away: 'Unleash cannot be reached, trying again',
  overloaded: 'Unleash does not take a post now, trying again',
  token:
    'Unleash does not accept the mirror token of this environment, or has no such address: mend UNLEASH_MIRROR_TOKENS',
} as const;

function fail(metrics: MirrorMetrics, { kind, environment }: Post, reason: FailedReason): void {
  metrics.failedAttempts.inc({ kind, environment, reason });
}

/** A message that would be the same for every post is logged once in the life of a process. */
export function warnOnce(
  { warned, log }: Pick<Delivery, 'warned' | 'log'>,
  fields: Readonly<Record<string, string | number>>,
  message: string,
): void {
  const key = JSON.stringify([message, fields]);
  if (warned.has(key) || warned.size >= MAX_WARNED) return;
  warned.add(key);
  log.warn(fields, message);
}

const MAX_WARNED = 1000;
