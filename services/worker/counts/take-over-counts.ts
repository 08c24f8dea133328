import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Blocks } from '#core/clickhouse';
import {
  DuplicateWindow,
  type PartitionPosition,
  PoisonGuard,
  SeriesStates,
  decodeIntent,
  findDiscontinuity,
} from '#core/counting';
import {
  type CommittedOffset,
  type CommittedOffsets,
  type FetchedBatch,
  LostPartition,
  withHeartbeats,
} from '#core/kafka';
import { FlagmeterError } from '#base/runtime';
import { Partition, type PartitionOptions } from './counts-partition.ts';
import { untilDone } from '../waiting.ts';

export type TakeOverOptions = PartitionOptions & {
  readonly blocks: Pick<Blocks, 'readEpoch' | 'readHistory' | 'openSession'>;
  readonly committedOffsets: Pick<CommittedOffsets, 'read' | 'readLogStart'>;
  readonly duplicateWindowMs: number;
  readonly maxDeadLetters: number;
};

/**
 * For this time the committed offset may lag behind the stored blocks without an alarm. A worker that was frozen between the
 * two readings sees the blocks of its successor. A new coordinator first answers with the offsets that were replicated before
 * its predecessor died.
 */
const COMMIT_VISIBLE_MS = 5000;
const REREAD_MS = 250;

type Problem = { readonly code: 'discontinuity' | 'log-gap'; readonly text: string };

/**
 * Why the worker must not go on. An operator accepts the loss of deleted messages by setting the committed offset to the start of
 * the log. The gap before the next block then stays visible in the accounting. That block may already be intended.
 */
export async function findProblem(
  position: PartitionPosition,
  isCommitted: boolean,
  readLogStart: () => Promise<bigint>,
): Promise<Problem | undefined> {
  const text = findDiscontinuity(position);
  if (text === undefined) return undefined;
  const { committed, storedTo } = position;
  const isGap = storedTo < committed;
  if (isGap && !isCommitted)
    return {
      code: 'log-gap',
      text: `blocks are stored up to ${storedTo}, but the log begins at ${committed}: messages between were deleted`,
    };
  return isGap && committed <= (await readLogStart()) ? undefined : { code: 'discontinuity', text };
}

/** Reads the state of a partition after joining the group: the committed offset with its intent, and the stored blocks. */
export async function takeOver(options: TakeOverOptions, batch: FetchedBatch): Promise<Partition> {
  const { topic, blocks, committedOffsets, duplicateWindowMs, maxDeadLetters, metrics, log } = options;
  const { maxFailures } = options;
  const { partition, group } = batch;
  const attempts = { group, metrics, log: log.child({ partition }) };
  const readCommitted = (): Promise<CommittedOffset | undefined> =>
    untilDone(attempts, 'take over', () => committedOffsets.read(topic, partition));
  const committed = await readCommitted();
  const from = committed?.offset ?? batch.from;
  const intent = decodeIntent(committed?.metadata ?? null);
  if (intent === 'unknown') {
    throw new FlagmeterError('intent', `${topic}/${partition} carries metadata that is not ours`);
  }
  const ask = <T>(question: () => Promise<T>): Promise<T> =>
    untilDone({ ...attempts, maxFailures }, 'take over', question);
  const epoch = Math.max(options.epoch, await ask(() => blocks.readEpoch(topic)));
  const history = await ask(() => blocks.readHistory({ topic, epoch, partition }, from, duplicateWindowMs));
  const readLogStart = (): Promise<bigint> =>
    untilDone(attempts, 'take over', () => committedOffsets.readLogStart(topic, partition));
  const position = { committed: from, intent, storedTo: history.storedTo };
  const problem = await findProblem(position, committed !== undefined, readLogStart);
  if (problem !== undefined) {
    const deadline = Date.now() + COMMIT_VISIBLE_MS;
    while (Date.now() < deadline) {
      if (!isDeepStrictEqual(await readCommitted(), committed)) throw new LostPartition();
      await withHeartbeats(group, sleep(REREAD_MS));
    }
    throw new FlagmeterError(problem.code, `${topic}/${partition}: ${problem.text}`);
  }
  const duplicates = new DuplicateWindow(duplicateWindowMs);
  for (const block of history.countedBlocks) duplicates.remember(block);
  const poison = new PoisonGuard(maxDeadLetters);
  poison.load(history.deadBlocks);
  const series = new SeriesStates(history.series);
  const session = await ask(() => blocks.openSession());
  log.info({ partition, from: from.toString(), intent: intent?.to.toString() }, 'partition taken over');
  const { generation } = group;
  const start = { partition, generation, from, intent, session, duplicates, series, poison };
  return new Partition({ ...options, epoch }, start);
}
