import { setTimeout as sleep } from 'node:timers/promises';
import {
  type FetchedBatch,
  type Kafka,
  LostPartition,
  consumeBatches,
  createMessageProducer,
  openCommittedOffsets,
  readWatermarks,
} from '#core/kafka';
import type { Log } from '#base/runtime';
import { bytesOf } from '../../support/builders/builders.ts';

export type KafkaSubject = {
  readonly kafka: Kafka;
  readonly topic: string;
  readonly groupId: string;
  readonly log: Log;
  /** Deletes the messages of the first partition before an offset, as retention does. */
  forget(before: bigint): Promise<void>;
  /** Sets the quota of this client; undefined removes it. */
  limit(bytesPerSecond: number | undefined): Promise<void>;
  /** Deletes the topic and creates it again. */
  createAgain(): Promise<void>;
};

const PARTITION = 0;
/** A real broker looks at ten seconds, so it wants some six seconds of quiet: on a busy machine, the next try may come late. */
const [BYTES_PER_SECOND, TOO_MANY_BYTES] = [10_000, 160_000];
const MAX_SENDS = 50;

/**
 * A member of a group handles a message and then does nothing for longer than its session lasts, while another member joins. Then
 * messages are deleted that nobody has handled, the topic is created again, and the producer exceeds a quota. What happened, for a comparison: equal with real brokers
 * and with simulated ones.
 */
export async function runKafkaScript(subject: KafkaSubject): Promise<unknown[]> {
  const { kafka, topic, groupId, log } = subject;
  const answers: unknown[] = [];
  const { signal } = new AbortController();
  const producer = createMessageProducer(kafka);
  const send = async (texts: string): Promise<void> => {
    for (const text of texts) {
      const { outcome } = await producer.send(topic, PARTITION, [{ value: bytesOf(text) }]);
      answers.push([`send ${text}`, outcome]);
    }
  };
  await send('abc');
  const watermarks = (await readWatermarks(kafka, topic)).get(PARTITION);
  answers.push(['watermarks', String(watermarks?.low), String(watermarks?.high)]);

  const offsets = await openCommittedOffsets(kafka, { groupId, log, signal });
  const committed = async (): Promise<unknown[]> => {
    const found = await offsets.read(topic, PARTITION);
    return found === undefined ? [] : [String(found.offset), found.metadata];
  };
  answers.push(['committed before', ...(await committed())]);

  const wakes = gate<undefined>();
  const committedFirst = gate<undefined>();
  const committedLate = gate<string>();
  const done = gate<undefined>();
  const options = {
    groupId,
    topic,
    minBytes: 1,
    maxBytesPerPartition: 1024,
    partitionsConcurrently: 1,
    log,
    signal,
    onCrash: (error: unknown) => answers.push(['crash', String(error)]),
  };
  let hasSlept = false;
  const sleeper = await consumeBatches(kafka, options, async (batch: FetchedBatch) => {
    const { partition, from, group } = batch;
    if (partition !== PARTITION || hasSlept) return;
    hasSlept = true;
    answers.push(['the first member handles from', String(from)]);
    await group.commit(1n, 'a note');
    batch.advance();
    committedFirst.open(undefined);
    await wakes.opened;
    const outcome = await group.commit(2n, 'late').then(
      () => 'done',
      (error: unknown) => (error instanceof LostPartition ? 'lost' : String(error)),
    );
    committedLate.open(outcome);
  });
  await committedFirst.opened;
  answers.push(['committed by the first member', ...(await committed())]);
  const other = await consumeBatches(kafka, options, async (batch: FetchedBatch) => {
    const { partition, from, group } = batch;
    if (partition !== PARTITION) return;
    answers.push(['the second member handles from', String(from)]);
    await group.commit(3n, '');
    batch.advance();
    done.open(undefined);
  });
  await done.opened;
  wakes.open(undefined);
  answers.push(['the late commit of the first member', await committedLate.opened]);
  answers.push(['committed at the end', ...(await committed())]);
  await Promise.all([sleeper.stop(), other.stop()]);

  const handleOnce = async (what: string): Promise<void> => {
    const handled = gate<undefined>();
    const member = await consumeBatches(kafka, options, async (batch: FetchedBatch) => {
      if (batch.partition !== PARTITION) return;
      answers.push([`${what} handles from`, String(batch.from)]);
      answers.push([`committed when ${what} handles`, ...(await committed())]);
      await batch.group.commit(batch.position, '');
      batch.advance();
      handled.open(undefined);
    });
    await handled.opened;
    await member.stop();
  };
  await send('def');
  await subject.forget(5n);
  answers.push(['committed after the deletion', ...(await committed())]);
  await handleOnce('a member behind a deletion');
  answers.push(['committed by it', ...(await committed())]);
  await subject.createAgain();
  answers.push(['committed in a new topic', ...(await committed())]);
  await send('g');
  await handleOnce('a member of a new topic');
  answers.push(['committed there', ...(await committed())]);
  await subject.limit(BYTES_PER_SECOND);
  const sendMuch = () => producer.send(topic, PARTITION, [{ value: new Uint8Array(TOO_MANY_BYTES) }]);
  // A broker knows a quota a moment after it was set, and until then takes everything.
  let [stored, above, throttled] = [1, await sendMuch(), await sendMuch()];
  for (; throttled.outcome === 'stored' && stored < MAX_SENDS; stored += 1)
    [above, throttled] = [throttled, await sendMuch()];
  answers.push(['above a quota', above.outcome], ['while the broker wants quiet', throttled.outcome]);
  await subject.limit(undefined);
  await sleep('waitMs' in throttled ? throttled.waitMs : 0);
  answers.push(['after that', (await sendMuch()).outcome]);
  const { high = 0n } = (await readWatermarks(kafka, topic)).get(PARTITION) ?? {};
  answers.push(['messages beside those above the quota', String(high - BigInt(stored))]);
  await Promise.all([offsets.close(), producer.disconnect()]);
  return answers;
}

function gate<T>(): { readonly opened: Promise<T>; readonly open: (value: T) => void } {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => (open = resolve));
  return { opened, open };
}
