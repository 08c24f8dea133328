import { setTimeout as sleep } from 'node:timers/promises';
import { type Registration, decodeRegistrations } from '#core/counting';
import { type BatchConsumer, type FetchedBatch, type Group, withHeartbeats } from '#core/kafka';
import { type Recent, createRecent } from '#base/runtime';
import { type ApplicationsPost, applicationPostsOf } from './posts/application-posts.ts';
import { type ConsumeOptions, consume } from './consume.ts';
import { type Delivery, deliver } from './deliver.ts';

export type MirrorApplicationsOptions = Omit<ConsumeOptions, 'partitionsConcurrently'> & {
  readonly delivery: Delivery;
};

/** Unleash forgets an instance after a day; relays repeat it with every push. */
const SEEN_RECENTLY_MS = 600_000;
/** Unleash loses all registrations of 20 s if they contain more than 9,362 instances. This limit is half of that. */
const INSTANCES_PER_SECOND = 230;

/** Sends applications to Unleash. Registrations may be repeated, so nothing is stored about posts with an unknown outcome. */
export async function mirrorApplications(
  options: MirrorApplicationsOptions,
): Promise<BatchConsumer | undefined> {
  const seen = createRecent<true>({ maxSize: 150_000, maxAgeMs: SEEN_RECENTLY_MS });
  return consume({ ...options, partitionsConcurrently: 1 }, async (batch) => {
    const fresh = readFresh(options, batch, seen);
    for (const post of applicationPostsOf([...fresh.values()]))
      await send(options.delivery, batch.group, post);
    await batch.group.commit(batch.position, '');
    for (const key of fresh.keys()) seen.set(key, true);
  });
}

function readFresh(
  { metrics, topic }: MirrorApplicationsOptions,
  { messages }: FetchedBatch,
  seen: Recent<true>,
): Map<string, Registration> {
  const fresh = new Map<string, Registration>();
  for (const { value } of messages) {
    const decoded = decodeRegistrations(value);
    if ('problem' in decoded) metrics.undecodableMessages.inc({ topic });
    else for (const item of decoded.registrations) fresh.set(JSON.stringify({ ...item, seenAt: 0 }), item);
  }
  for (const key of fresh.keys()) if (seen.has(key)) fresh.delete(key);
  return fresh;
}

async function send(
  delivery: Delivery,
  group: Group,
  { environment, items }: ApplicationsPost,
): Promise<void> {
  const secret = delivery.secrets.get(environment);
  if (secret === undefined) {
    delivery.metrics.leftOut.inc({ kind: 'applications', reason: 'no_token' }, items.length);
    return;
  }
  const post = {
    kind: 'applications',
    environment,
    secret,
    applications: items,
    metrics: [],
    evaluations: 0,
  } as const;
  await deliver(delivery, group, post);
  const pauseMs = (items.length * 1000) / INSTANCES_PER_SECOND;
  await withHeartbeats(
    group,
    sleep(pauseMs, undefined, { signal: delivery.signal }).catch(() => undefined),
  );
}
