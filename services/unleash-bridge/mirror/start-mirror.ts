import { createKafka, runConsumers } from '#core/kafka';
import { type Config, type Fail, type Log, type Registry, Troubles } from '#base/runtime';
import { createUnleash } from '#unleash/client';
import { mirrorApplications } from './applications.ts';
import { mirrorCounts } from './counts.ts';
import type { Delivery } from './deliver.ts';
import { createMirrorMetrics } from './metrics.ts';
import { TokenGrace } from './token-grace.ts';

export type Mirror = {
  /** The reason why the mirror is not ready; undefined if it is ready. */
  readiness(): string | undefined;
  stop(): Promise<void>;
};

export type MirrorOptions = {
  readonly config: Config;
  readonly unleash: { readonly url: string } & Pick<Delivery, 'secrets' | 'unanswered'>;
  readonly registry: Registry;
  readonly log: Log;
  readonly fail: Fail;
};

/** Long enough to correct a token, and short for the environments that wait meanwhile. */
const TOKEN_GRACE_MS = 300_000;
/** A post that waits for its answer gets this time when the process stops, because its successor repeats it. */
const LAST_POST_MS = 5000;

/** Sends Unleash the counts that flagmeter accepts, so that its own pages keep their numbers. Counting does not wait for it. */
export function startMirror({ config, unleash, registry, log, fail }: MirrorOptions): Mirror {
  const { url, secrets, unanswered } = unleash;
  const { topics, groupPrefix } = config.kafka;
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-mirror', retries: 5, log });
  const metrics = createMirrorMetrics(registry, {
    topics: [topics.counts, topics.applications],
    environments: secrets.keys(),
  });
  const stopping = new AbortController();
  const { signal } = stopping;
  const endingPosts = new AbortController();
  const delivery: Delivery = {
    unleash: createUnleash({ url }),
    secrets,
    unanswered,
    metrics,
    log,
    warned: new Map(),
    tokenGrace: new TokenGrace(TOKEN_GRACE_MS),
    signal,
    postSignal: endingPosts.signal,
  };
  const troubles = new Troubles();
  const shared = { kafka, delivery, metrics, log, signal, troubles, onCrash: fail };
  const { duplicateWindowMs } = config.worker;
  const startCounts = () =>
    mirrorCounts({ ...shared, groupId: `${groupPrefix}-mirror`, topic: topics.counts, duplicateWindowMs });
  const startApplications = () =>
    mirrorApplications({
      ...shared,
      groupId: `${groupPrefix}-mirror-applications`,
      topic: topics.applications,
    });
  const consumers = runConsumers([startCounts, startApplications], fail);
  return {
    readiness: () =>
      consumers.areJoined() ? undefined : troubles.after('The mirror has not joined its groups yet.'),
    async stop() {
      stopping.abort();
      const timer = setTimeout(() => {
        endingPosts.abort();
      }, LAST_POST_MS);
      await consumers.stop();
      clearTimeout(timer);
    },
  };
}
