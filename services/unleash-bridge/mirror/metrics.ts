import type { FailureReason } from '#unleash/client';
import { Counter, Gauge, type Registry } from '#base/runtime';

const KINDS = ['counts', 'impact', 'applications'] as const;
export type Kind = (typeof KINDS)[number];

/** The final outcomes of a post. */
const OUTCOMES = ['accepted', 'rejected', 'lost'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type FailedReason = FailureReason | 'unanswered';

export type MirrorMetrics = ReturnType<typeof createMirrorMetrics>;

/** Statuses with which Unleash rejects a body for good. */
const REJECTIONS = ['400', '413'];

type Mirrored = {
  readonly topics: readonly string[];
  /** Those that have a token. */
  readonly environments: Iterable<string>;
};

export function createMirrorMetrics(registry: Registry, { topics, environments }: Mirrored) {
  const registers = [registry];
  const posts = new Counter({
    name: 'flagmeter_mirror_posts_total',
    help: 'Posts to Unleash that are over, by what became of them and the status of the answer',
    labelNames: ['kind', 'outcome', 'status'],
    registers,
  });
  const evaluations = new Counter({
    name: 'flagmeter_mirror_evaluations_total',
    help: 'Evaluations in these posts; unanswered are those that Unleash may have counted without saying so',
    labelNames: ['outcome'],
    registers,
  });
  // Set to 0 at the start, because rate() does not see a series that begins with its first failure.
  for (const outcome of [...OUTCOMES, 'unanswered']) evaluations.inc({ outcome }, 0);
  for (const kind of KINDS)
    for (const status of REJECTIONS) posts.inc({ kind, outcome: 'rejected', status }, 0);
  const failedAttempts = new Counter({
    name: 'flagmeter_mirror_failed_attempts_total',
    help: 'Attempts to post that failed, by reason',
    labelNames: ['kind', 'environment', 'reason'],
    registers,
  });
  for (const environment of environments)
    for (const kind of KINDS) failedAttempts.inc({ kind, environment, reason: 'token' }, 0);
  return {
    posts,
    evaluations,
    failedAttempts,
    leftOut: new Counter({
      name: 'flagmeter_mirror_left_out_total',
      help: 'Rows, variants, samples of impact metrics, and applications that Unleash is not sent, by reason',
      labelNames: ['kind', 'reason'],
      registers,
    }),
    skippedMessages: new Counter({
      name: 'flagmeter_mirror_skipped_messages_total',
      help: 'Messages that Kafka deleted before they were mirrored',
      labelNames: ['topic'],
      registers,
    }),
    undecodableMessages: new Counter({
      name: 'flagmeter_mirror_undecodable_messages_total',
      help: 'Messages that cannot be decoded, and so are not mirrored',
      labelNames: ['topic'],
      registers,
    }),
    lag: new Gauge({
      name: 'flagmeter_mirror_lag_messages',
      help: 'Messages that wait behind the last ones mirrored',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    slowFetchSeconds: createSlowFetches(registry, topics),
    delays: createDelays(registry, topics),
  };
}

type Delays = {
  /**
   * Call it when work on messages begins, with the append time of the oldest (epoch milliseconds). Returns the function that
   * ends it.
   */
  begin(topic: string, partition: number, appendedAt: number): () => void;
};

/** The age of the oldest message in work. It grows while Unleash is unreachable, when no lag is measured. */
function createDelays(registry: Registry, topics: readonly string[]): Delays {
  const working = new Map<string, { readonly topic: string; readonly appendedAt: number }>();
  new Gauge({
    name: 'flagmeter_mirror_delay_seconds',
    help: 'Age of the oldest message that is being mirrored; 0 while there is none',
    labelNames: ['topic'],
    registers: [registry],
    collect() {
      for (const topic of topics) this.set({ topic }, 0);
      const now = Date.now();
      for (const { topic, appendedAt } of [...working.values()].sort((a, b) => b.appendedAt - a.appendedAt))
        this.set({ topic }, Math.max(0, now - appendedAt) / 1000);
    },
  });
  return {
    begin(topic, partition, appendedAt) {
      const key = `${topic}/${partition}`;
      working.set(key, { topic, appendedAt });
      return () => working.delete(key);
    },
  };
}

function createSlowFetches(registry: Registry, topics: readonly string[]): Counter<'topic'> {
  const seconds = new Counter({
    name: 'flagmeter_mirror_slow_fetch_seconds_total',
    help: 'Seconds by which fetches took longer than their wait for messages, because of a quota of Kafka or a slow connection',
    labelNames: ['topic'],
    registers: [registry],
  });
  for (const topic of topics) seconds.inc({ topic }, 0);
  return seconds;
}
