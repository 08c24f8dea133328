import type { BlockRange, DeadLetter } from './block.ts';

/** The position of a message that could not be decoded. */
export type DeadLetterPlace = Pick<BlockRange, 'topic' | 'epoch' | 'partition'> & { readonly offset: bigint };

/**
 * A dead letter as stored in its topic. The topic may have several letters with the same position, because the worker stores a
 * letter again if the outcome is unknown.
 */
export type KeptLetter = DeadLetterPlace & DeadLetter;

export type KeptMessage = {
  readonly key: string;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
};

/** The name of a dead letter for people: topic:partition:offset. */
export function deadLetterKey({ topic, partition, offset }: Omit<DeadLetterPlace, 'epoch'>): string {
  return `${topic}:${partition}:${offset.toString()}`;
}

export function encodeDeadLetter(letter: KeptLetter): KeptMessage {
  const { epoch, value, problem, appendedAt } = letter;
  const headers = { problem, epoch: String(epoch), 'appended-at': String(appendedAt) };
  return { key: deadLetterKey(letter), value, headers };
}

const KEY = /^(.+):(\d{1,9}):(\d{1,19})$/;

/** The letter in a message of the dead-letter topic; undefined if the message is not a letter. */
export function decodeDeadLetter(message: {
  readonly key: string | undefined;
  readonly value: Uint8Array | null;
  readonly headers: Readonly<Record<string, string>>;
}): KeptLetter | undefined {
  const match = KEY.exec(message.key ?? '');
  const { problem, epoch, 'appended-at': appendedAt } = message.headers;
  if (match === null || problem === undefined) return undefined;
  if (!isWhole(epoch) || !isWhole(appendedAt)) return undefined;
  return {
    topic: match[1] ?? '',
    epoch: Number(epoch),
    partition: Number(match[2]),
    offset: BigInt(match[3] ?? ''),
    value: message.value,
    problem,
    appendedAt: Number(appendedAt),
  };
}

function isWhole(text: string | undefined): boolean {
  return text !== undefined && /^\d{1,15}$/.test(text);
}

/** What an operator may have done with a dead letter. */
export type Resolution = 'replayed' | 'dropped';

/**
 * The topic name under which `blocks` stores what was done with the dead letters of a topic. Kafka does not allow such a name,
 * so the worker and the search for gaps never read these rows.
 */
export function resolutionTopic(resolution: Resolution, topic: string): string {
  return `${resolution}/${topic}`;
}

/** The block that stores what was done with one dead letter; its token makes the INSERT repeatable. */
export function resolutionRange(
  resolution: Resolution,
  { topic, epoch, partition, offset }: DeadLetterPlace,
): BlockRange {
  const range = { topic: resolutionTopic(resolution, topic), epoch, partition };
  return { ...range, from: offset, to: offset + 1n };
}

/** A stored block that holds dead letters. */
export type BlockWithDead = Pick<BlockRange, 'epoch' | 'partition' | 'from' | 'to'> & {
  readonly dead: number;
};

/**
 * Which of these letters of one topic count as dead in the blocks. The worker stores a letter before the block, so a letter
 * alone proves nothing: a later worker may have decoded and counted the message. If the block counts fewer dead letters than
 * the topic has, none of its letters is known to be dead.
 */
export function deadByBlocks(
  letters: readonly DeadLetterPlace[],
  blocks: readonly BlockWithDead[],
): Set<DeadLetterPlace> {
  const dead = new Set<DeadLetterPlace>();
  const byPartition = new Map<string, DeadLetterPlace[]>();
  for (const letter of letters.toSorted((a, b) => (a.offset < b.offset ? -1 : 1))) {
    const id = `${letter.epoch}:${letter.partition}`;
    const places = byPartition.get(id);
    if (places === undefined) byPartition.set(id, [letter]);
    else places.push(letter);
  }
  for (const { epoch, partition, from, to, dead: count } of blocks) {
    const places = byPartition.get(`${epoch}:${partition}`) ?? [];
    const inside = places.slice(firstFrom(places, from), firstFrom(places, to));
    if (inside.length <= count) for (const place of inside) dead.add(place);
  }
  return dead;
}

/** Index of the first position at or after an offset. It uses bisection, because letters and blocks may be many. */
function firstFrom(places: readonly DeadLetterPlace[], offset: bigint): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.offset ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
