import type { BlockRange, DeadLetter } from './block.ts';

/** Where a message stood that could not be decoded. */
export type DeadLetterPlace = Pick<BlockRange, 'topic' | 'epoch' | 'partition'> & { readonly offset: bigint };

/** A dead letter as its topic keeps it. The same place may occur more than once: keeping is repeated in doubt. */
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

/** The letter that a message of the dead-letter topic holds, undefined if it holds none. */
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
 * The name under which `blocks` keeps what was done with the dead letters of a topic. No topic of Kafka can be named
 * like that, so neither the worker nor the search for gaps ever meets these rows.
 */
export function resolutionTopic(resolution: Resolution, topic: string): string {
  return `${resolution}/${topic}`;
}

/** The block that stores what was done with one dead letter, and with it the token of its INSERT. */
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
 * Which of these letters of one topic are dead by the blocks: the worker keeps a letter before it stores the block,
 * so a letter alone proves nothing. A later worker may have understood the message and counted it; then the block
 * counts fewer dead letters than were kept, and none of its letters can be taken for dead.
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

/** Index of the first place at or behind an offset, by bisection: there may be many letters and many blocks. */
function firstFrom(places: readonly DeadLetterPlace[], offset: bigint): number {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle]?.offset ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}
