import { registerApplications } from '#fleet/catalogue';
import { createBlocks } from '#core/clickhouse';
import {
  type Block,
  DuplicateWindow,
  type KeptLetter,
  type Resolution,
  buildBlock,
  decodeRegistrations,
  resolutionRange,
} from '#core/counting';
import type { OperatorLock } from '#base/postgres';
import type { Engines } from './engines.ts';
import { type Letter, eachKeptLetter, placeId } from './letters.ts';
import { replayLetter, replayedBatches } from './replay-letter.ts';

/** The outcome for one letter. `left` means that it stays open, and `detail` says why. */
export type Resolved = {
  readonly letter: Letter;
  readonly outcome: 'counted' | 'duplicate' | 'registered' | 'dropped' | 'left';
  readonly detail: string;
};

export type Resolving = {
  readonly resolution: Resolution;
  /** The letters to resolve, and all known letters. */
  readonly chosen: readonly Letter[];
  readonly letters: readonly Letter[];
  readonly lock: OperatorLock;
  /** Called after each letter. */
  readonly onResolved: (resolved: Resolved) => void;
};

/**
 * A row of `blocks` records the resolution of a letter, and is kept for 120 days. So a letter that may be older than such a row
 * is not touched.
 */
const MAX_AGE_MS = 100 * 24 * 3600_000;

/**
 * Replays or drops letters, one after the other. It may be interrupted and repeated: the INSERT that counts a letter also
 * writes the block that records this, under a separate token. Letters with such a block are skipped.
 */
export async function resolveLetters(engines: Engines, resolving: Resolving): Promise<void> {
  const { chosen, lock, onResolved } = resolving;
  const waiting = new Map<string, Letter>();
  for (const letter of chosen) {
    const obstacle = obstacleOf(letter, resolving.resolution);
    if (obstacle === undefined) waiting.set(placeId(letter), letter);
    else onResolved({ letter, outcome: 'left', detail: obstacle });
  }
  if (waiting.size === 0) return;
  const resolve = resolverOf(engines, resolving);
  await eachKeptLetter(engines, async (kept) => {
    const letter = waiting.get(placeId(kept));
    if (letter === undefined) return;
    lock.check();
    onResolved({ letter, ...(await resolve(kept)) });
    waiting.delete(placeId(kept));
  });
  for (const letter of waiting.values()) {
    onResolved({ letter, outcome: 'left', detail: 'Kafka has deleted it in the meantime' });
  }
}

/** Why a letter cannot be resolved; undefined if it can. */
export function obstacleOf(letter: Letter, resolution: Resolution): string | undefined {
  const { state, problemToday, appendedAt } = letter;
  if (state === 'pending') return 'no stored block says that it is dead';
  if (state !== 'open') return `it is ${state} already`;
  if (Date.now() - appendedAt > MAX_AGE_MS)
    return 'it is so old that the record of an earlier replay may be deleted';
  if (resolution === 'replayed' && problemToday !== undefined) return `still not decoded: ${problemToday}`;
  return undefined;
}

type Resolve = (letter: KeptLetter) => Promise<Pick<Resolved, 'outcome' | 'detail'>>;

function resolverOf(engines: Engines, { resolution, letters }: Resolving): Resolve {
  const { shards, config, db } = engines;
  const record = async (letter: KeptLetter): Promise<void> => {
    await createBlocks(shards.of(letter.partition)).insert(emptyBlock(letter, resolution));
  };
  if (resolution === 'dropped') {
    return async (letter) => {
      await record(letter);
      return { outcome: 'dropped', detail: '' };
    };
  }
  const replayed = replayedBatches(letters);
  return async (letter) => {
    if (letter.topic === config.kafka.topics.applications) {
      const decoded = decodeRegistrations(letter.value);
      if ('problem' in decoded) return { outcome: 'left', detail: decoded.problem };
      await registerApplications(db, decoded.registrations);
      await record(letter);
      return { outcome: 'registered', detail: `${decoded.registrations.length} applications` };
    }
    const block = await replayLetter(engines, letter, replayed);
    replayed.push(...block.batches);
    const { counted, refused, received } = block.tally;
    if (block.duplicateBatches > 0) {
      return { outcome: 'duplicate', detail: `${received} metrics were counted already` };
    }
    return { outcome: 'counted', detail: `${counted} metrics counted, ${refused} refused` };
  };
}

/** A block without counts that only records the resolution. */
function emptyBlock(letter: KeptLetter, resolution: Resolution): Block {
  const range = resolutionRange(resolution, letter);
  const { block } = buildBlock(range, [], { duplicates: new DuplicateWindow(0) });
  const { appendedAt } = letter;
  return { ...block, receivedFrom: appendedAt, receivedTo: appendedAt, appendedTo: appendedAt };
}
