import { registerApplications } from '#fleet/catalogue';
import {
  type DeadLetter,
  type Registration,
  contentOfRegistration,
  decodeRegistrations,
  minuteOf,
} from '#core/counting';
import type { BatchConsumer, FetchedBatch } from '#core/kafka';
import type { Postgres } from '#base/postgres';
import { type Recent, createRecent } from '#base/runtime';
import type { DeadLetters } from '../dead-letter-topic.ts';
import { untilDone } from '../waiting.ts';
import { type FleetConsumerOptions, consumeSlowly } from './consume-slowly.ts';

export type ApplicationsOptions = FleetConsumerOptions & {
  readonly db: Postgres;
  readonly deadLetters: DeadLetters;
};

const PER_TRANSACTION = 1000;
/**
 * A relay repeats every application with every push, but it is enough to write each one once in a clock minute. Ingest sends only
 * the first one of a minute, so the worker compares minutes too: with a sliding time it would leave out the next one as well.
 */
const SEEN_RECENTLY_MS = 60_000;

/** The minute of each registration that was written recently, by its content. */
type Seen = Recent<number>;

/** Only the counts topic has epochs. Registrations are idempotent, so offsets of an earlier topic do no harm. */
const NO_EPOCH = 0;

/** Stores the messages of the applications topic in Postgres, at least once: registrations are idempotent. */
export function consumeApplications(options: ApplicationsOptions): Promise<BatchConsumer> {
  const seen: Seen = createRecent<number>({ maxSize: 50_000, maxAgeMs: SEEN_RECENTLY_MS });
  return consumeSlowly(options, (batch) => handle(options, batch, seen));
}

async function handle(options: ApplicationsOptions, batch: FetchedBatch, seen: Seen): Promise<void> {
  const { db, topic, deadLetters, metrics, log } = options;
  const { group, partition } = batch;
  const attempts = { group, metrics, log: log.child({ topic, partition }) };
  const fresh = new Map<string, Registration>();
  const dead: DeadLetter[] = [];
  for (const { offset, value, appendedAt } of batch.messages) {
    const decoded = decodeRegistrations(value);
    if ('problem' in decoded) dead.push({ offset, value, problem: decoded.problem, appendedAt });
    else
      for (const registration of decoded.registrations)
        fresh.set(storedContentOf(registration), registration);
  }
  for (const [content, { seenAt }] of fresh)
    if ((seen.get(content) ?? -1) >= minuteOf(seenAt)) fresh.delete(content);
  if (dead.length > 0)
    await untilDone(attempts, 'keep dead letters', () =>
      deadLetters.keep({ topic, epoch: NO_EPOCH, partition }, dead),
    );
  const registrations = [...fresh.values()];
  for (let start = 0; start < registrations.length; start += PER_TRANSACTION) {
    const chunk = registrations.slice(start, start + PER_TRANSACTION);
    await untilDone(attempts, 'register applications', () => registerApplications(db, chunk));
  }
  await group.commit(batch.position, '');
  for (const [content, { seenAt }] of fresh) seen.set(content, minuteOf(seenAt));
  metrics.registrations.inc(registrations.length);
  metrics.lag.set({ topic, partition }, batch.lag);
  batch.advance();
}

/** All that Postgres stores of a registration except its time. It has no column for the start, so a restart writes nothing new. */
function storedContentOf(registration: Registration): string {
  return contentOfRegistration({ ...registration, startedAt: undefined });
}
