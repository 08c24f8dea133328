import { LARGEST_USED_RATIO, createBlocks, readSameBatches } from '#core/clickhouse';
import {
  type Block,
  type CountedBatch,
  DuplicateWindow,
  type KeptLetter,
  buildBlock,
  resolutionRange,
} from '#core/counting';
import { FlagmeterError } from '#base/runtime';
import { createReplaysInDoubt } from './dead-letter-replays.ts';
import type { Engines } from './engines.ts';
import { type Letter, eachKeptLetter, placeId } from './letters.ts';

/**
 * Counts a dead letter exactly once. The order of effects:
 *
 *   1. Postgres    record the replay as in doubt, and whether its batch was already counted
 *   2. ClickHouse  one INSERT under the letter's own token; the block among its rows records the replay
 *   3. Postgres    delete the record
 *
 * After a crash between 1 and 3 the next replay starts with the same INSERT (`completeReplays`). ClickHouse fills the tables
 * one after the other, and the token makes it skip the tables that already have the rows.
 */
export async function replayLetter(
  engines: Engines,
  letter: KeptLetter,
  replayed: readonly CountedBatch[],
): Promise<Block> {
  const inDoubt = createReplaysInDoubt(engines.db);
  const isDuplicate = await wasCounted(engines, letter, replayed);
  await inDoubt.begin(letter, isDuplicate);
  const block = buildReplay(letter, isDuplicate);
  await createBlocks(engines.shards.of(letter.partition)).insert(block);
  await inDoubt.end(letter);
  return block;
}

/** Completes interrupted replays, which may be half stored. Returns their number. */
export async function completeReplays(engines: Engines): Promise<number> {
  const inDoubt = createReplaysInDoubt(engines.db);
  const waiting = new Map((await inDoubt.list()).map((replay) => [placeId(replay), replay]));
  const count = waiting.size;
  if (count === 0) return 0;
  await eachKeptLetter(engines, async (letter) => {
    const replay = waiting.get(placeId(letter));
    if (replay === undefined) return;
    const blocks = createBlocks(engines.shards.of(letter.partition));
    if ((await blocks.readWindowUsed(replay.startedAt.getTime())) > LARGEST_USED_RATIO)
      throw inDoubtForEver(replay);
    await blocks.insert(buildReplay(letter, replay.isDuplicate));
    await inDoubt.end(letter);
    waiting.delete(placeId(letter));
  });
  for (const replay of waiting.values()) throw inDoubtForEver(replay);
  return count;
}

function inDoubtForEver(place: Parameters<typeof placeId>[0]): FlagmeterError {
  return new FlagmeterError(
    'replay-in-doubt',
    `the interrupted replay of ${placeId(place)} can no longer be repeated: compare "reconcile" with its block, then delete its row of dead_letter_replays`,
  );
}

/** The block of one letter. Step 1 has decided whether its batch is a duplicate. */
export function buildReplay(letter: KeptLetter, isDuplicate: boolean): Block {
  const range = resolutionRange('replayed', letter);
  const duplicates = new DuplicateWindow(1);
  const { block, remember } = buildBlock(range, [letter], { duplicates });
  if (!isDuplicate) return block;
  remember();
  return buildBlock(range, [letter], { duplicates }).block;
}

/** Whether a batch with this id was counted around the time when this one was received, in any partition. */
async function wasCounted(
  { shards, config }: Engines,
  letter: KeptLetter,
  replayed: readonly CountedBatch[],
): Promise<boolean> {
  const windowMs = config.worker.duplicateWindowMs;
  const [batch] = buildReplay(letter, false).batches;
  if (batch === undefined) return false;
  const counted = await Promise.all(
    shards.all.map((shard) => readSameBatches(shard, letter.topic, { batch, windowMs })),
  );
  return [...counted.flat(), ...replayed].some(
    ({ batchId, receivedAt }) =>
      batchId === batch.batchId && Math.abs(receivedAt - batch.receivedAt) < windowMs,
  );
}

/** The batches that replays have counted, according to the letters: ClickHouse keeps batch ids for only two days. */
export function replayedBatches(letters: readonly Letter[]): CountedBatch[] {
  return letters.flatMap(({ state, batch, isDuplicate }) =>
    state === 'replayed' && !isDuplicate && batch !== undefined ? batch : [],
  );
}
