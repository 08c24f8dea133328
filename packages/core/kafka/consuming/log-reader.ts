import type { EachBatchPayload, Kafka } from 'kafkajs';
import type { LogMessage } from '#core/counting';
import { FlagmeterError, inBackground } from '#base/runtime';

/** A message with its key, headers and position. */
export type KeyedMessage = LogMessage & {
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
};

export type LogRanges = {
  readonly topic: string;
  /** A consumer group that no one else uses; it is deleted afterwards. */
  readonly groupId: string;
  /** Offsets [from, to) to read of each partition; all of them must be in the log. */
  readonly ranges: ReadonlyMap<number, { readonly from: bigint; readonly to: bigint }>;
};

/** Longest wait for the next messages of a range that are known to exist. */
const STALL_MS = 60_000;
const HEARTBEAT_MS = 1000;

type Progress = { position: bigint; readonly to: bigint };
type Handle = (partition: number, messages: readonly KeyedMessage[]) => Promise<void>;

/**
 * Passes ranges of a log to `handle`, in order within a partition, one fetch (at most a MiB) at a time. Nothing is fetched
 * while `handle` works. Rejects if messages of a range are not in the log.
 */
export async function readLog(
  kafka: Kafka,
  { topic, groupId, ranges }: LogRanges,
  handle: Handle,
): Promise<void> {
  const open = new Map<number, Progress>();
  for (const [partition, { from, to }] of ranges) if (from < to) open.set(partition, { position: from, to });
  if (open.size === 0) return;
  const starts = [...open].map(([partition, { position }]) => ({ partition, offset: position.toString() }));
  const consumer = kafka.consumer({
    groupId,
    maxWaitTimeInMs: 100,
    allowAutoTopicCreation: false,
    retry: { retries: 5, initialRetryTime: 200, maxRetryTime: 2000 },
  });
  const { promise, resolve, reject } = outcome();
  const stall = setTimeout(() => {
    reject(new FlagmeterError('log-stalled', `no messages of ${topic} came within ${STALL_MS / 1000} s`));
  }, STALL_MS);
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    if (!payload.restart) reject(payload.error);
  });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async (payload) => {
        const beat = setInterval(() => {
          stall.refresh();
          inBackground(payload.heartbeat(), () => undefined); // kafkajs gets the error again at the next fetch
        }, HEARTBEAT_MS);
        await handleBatch(payload, open, handle).catch(reject);
        clearInterval(beat);
        stall.refresh();
        if (open.size === 0) resolve();
      },
    });
    for (const start of starts) consumer.seek({ topic, ...start });
    await promise;
  } finally {
    clearTimeout(stall);
    await consumer.disconnect();
    await forget(kafka, groupId);
  }
}

/** Passes on the fetched messages of an open range. Closes the range at its end, or when `handle` fails. */
async function handleBatch(
  payload: EachBatchPayload,
  open: Map<number, Progress>,
  handle: Handle,
): Promise<void> {
  const { batch } = payload;
  const { topic, partition } = batch;
  const progress = open.get(partition);
  if (progress === undefined) {
    payload.pause();
    return;
  }
  const { position, to } = progress;
  const messages = batch.messages.map(toKeyed).filter(({ offset }) => offset >= position && offset < to);
  const [first] = messages;
  try {
    if (first !== undefined && first.offset > position) {
      const gap = `${topic}/${partition}: messages from ${position} to ${first.offset} are not in the log any more`;
      throw new FlagmeterError('log-gap', gap);
    }
    if (messages.length > 0) await handle(partition, messages);
  } catch (error) {
    open.delete(partition);
    throw error;
  }
  const end = BigInt(batch.lastOffset()) + 1n;
  if (end > position) progress.position = end;
  if (progress.position >= to) {
    open.delete(partition);
    payload.pause();
  }
}

type Fetched = EachBatchPayload['batch']['messages'][number];

function toKeyed({ offset, key, value, timestamp, headers = {} }: Fetched): KeyedMessage {
  return {
    offset: BigInt(offset),
    key: key?.toString(),
    value,
    appendedAt: Number(timestamp),
    headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, String(text)])),
  };
}

function outcome(): { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((onDone, onFailure) => {
    resolve = onDone;
    reject = onFailure;
  });
  // It may reject before it is awaited.
  inBackground(promise, () => undefined);
  return { promise, resolve, reject };
}

/** Best effort: Kafka itself deletes empty groups after a week. */
async function forget(kafka: Kafka, groupId: string): Promise<void> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    await admin.deleteGroups([groupId]);
  } catch {
    // Nothing depends on the deletion.
  } finally {
    await admin.disconnect();
  }
}
