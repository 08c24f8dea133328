import { randomUUID } from 'node:crypto';
import { readBlocksWithDead, readResolvedLetters } from '#core/clickhouse';
import {
  type CountedBatch,
  type DeadLetterPlace,
  type KeptLetter,
  deadByBlocks,
  deadLetterKey,
  decodeCounts,
  decodeDeadLetter,
  decodeRegistrations,
} from '#core/counting';
import { readLog, readWatermarks } from '#core/kafka';
import type { Engines } from './engines.ts';

/**
 * `open`: not replayed and not dropped. `pending`: no stored block lists it as dead. Either the worker has not stored that
 * block yet, or a later worker could decode the message and counted it. So a pending letter must not be replayed or dropped.
 */
export type LetterState = 'open' | 'replayed' | 'dropped' | 'pending';

/** A dead letter without its bytes, because the bytes of all letters may not fit into memory. */
export type Letter = DeadLetterPlace & {
  readonly key: string;
  readonly state: LetterState;
  /** Why it could not be decoded then, and why it cannot be decoded now (undefined if it can). */
  readonly reason: string;
  readonly problemToday: string | undefined;
  readonly sizeBytes: number;
  readonly appendedAt: number;
  /** The batch in it, if the letter can be decoded and contains counts. */
  readonly batch: CountedBatch | undefined;
  /** Whether its replay found that the batch was already counted. */
  readonly isDuplicate: boolean;
};

/** Every dead letter that Kafka still has, in order of topic, epoch, partition and offset. */
export async function readLetters(engines: Engines): Promise<Letter[]> {
  const kept = new Map<string, Omit<Letter, 'state' | 'isDuplicate'>>();
  await eachKeptLetter(engines, (letter) => {
    const id = placeId(letter);
    if (!kept.has(id)) kept.set(id, describe(engines, letter));
    return Promise.resolve();
  });
  const letters = [...kept.values()];
  const resolved = await readResolutions(engines, letters);
  const dead = await readDead(engines, letters);
  return letters.sort(byPlace).map((letter) => {
    const resolution = resolved.get(placeId(letter));
    const unresolved = dead.has(letter) ? 'open' : 'pending';
    const state = resolution?.resolution ?? unresolved;
    return { ...letter, state, isDuplicate: resolution?.isDuplicate ?? false };
  });
}

/** Passes on the stored letters one by one. A place may occur more than once. */
export async function eachKeptLetter(
  { kafka, config }: Engines,
  handle: (letter: KeptLetter) => Promise<void>,
): Promise<void> {
  const { groupPrefix, topics } = config.kafka;
  const watermarks = await readWatermarks(kafka, topics.deadLetters);
  const ranges = new Map(
    [...watermarks].map(([partition, { low, high }]) => [partition, { from: low, to: high }] as const),
  );
  const groupId = `${groupPrefix}-dead-letters-${randomUUID()}`;
  await readLog(kafka, { topic: topics.deadLetters, groupId, ranges }, async (_partition, messages) => {
    for (const message of messages) {
      const letter = decodeDeadLetter(message);
      if (letter !== undefined) await handle(letter);
    }
  });
}

/** An id for the place of a letter. */
export function placeId(place: DeadLetterPlace): string {
  return `${place.epoch}/${deadLetterKey(place)}`;
}

function describe({ config }: Engines, letter: KeptLetter): Omit<Letter, 'state' | 'isDuplicate'> {
  const { value, problem: reason, appendedAt, ...place } = letter;
  const key = deadLetterKey(place);
  const description = { ...place, key, reason, sizeBytes: value?.byteLength ?? 0, appendedAt };
  if (place.topic === config.kafka.topics.applications) {
    const decoded = decodeRegistrations(value);
    const problemToday = 'problem' in decoded ? decoded.problem : undefined;
    return { ...description, problemToday, batch: undefined };
  }
  const decoded = decodeCounts(value);
  if ('problem' in decoded) return { ...description, problemToday: decoded.problem, batch: undefined };
  const { batchId, receivedAt } = decoded.message;
  return { ...description, problemToday: undefined, batch: { batchId, receivedAt } };
}

async function readResolutions({ shards }: Engines, letters: readonly DeadLetterPlace[]) {
  const topics = [...new Set(letters.map(({ topic }) => topic))];
  const reads = shards.all.flatMap((shard) => topics.map((topic) => readResolvedLetters(shard, topic)));
  const resolved = await Promise.all(reads);
  return new Map(resolved.flat().map((letter) => [placeId(letter), letter]));
}

/**
 * The letters that are certainly dead. For letters of counts the blocks decide. Letters of applications always are, because
 * registering twice does no harm.
 */
async function readDead(
  { shards, config }: Engines,
  letters: readonly DeadLetterPlace[],
): Promise<Set<DeadLetterPlace>> {
  const { counts } = config.kafka.topics;
  const ofCounts = letters.filter(({ topic }) => topic === counts);
  const blocks = await Promise.all(shards.all.map((shard) => readBlocksWithDead(shard, counts)));
  const dead = deadByBlocks(ofCounts, blocks.flat());
  for (const letter of letters) if (letter.topic !== counts) dead.add(letter);
  return dead;
}

function byPlace(a: DeadLetterPlace, b: DeadLetterPlace): number {
  if (a.topic !== b.topic) return a.topic < b.topic ? -1 : 1;
  return a.epoch - b.epoch || a.partition - b.partition || (a.offset < b.offset ? -1 : 1);
}
