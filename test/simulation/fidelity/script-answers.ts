import type { Blocks } from '#core/clickhouse';
import { COUNTERS_PARTITION } from './script-blocks.ts';

const WINDOW_MS = 45_000;

export async function countersBefore(blocks: Blocks, before: bigint): Promise<unknown> {
  const key = { topic: 'counts', epoch: 1, partition: COUNTERS_PARTITION };
  const { series } = await blocks.readHistory(key, before, WINDOW_MS);
  return series.map(({ startedAt, state }) => [startedAt, state]);
}

export async function historyOf(blocks: Blocks, before: bigint): Promise<unknown> {
  const key = { topic: 'counts', epoch: 1, partition: 0 };
  const { storedTo, countedBlocks, deadBlocks } = await blocks.readHistory(key, before, WINDOW_MS);
  return {
    storedTo: String(storedTo),
    counted: countedBlocks.map(({ messages, batches }) => [messages, batches.map(({ batchId }) => batchId)]),
    dead: deadBlocks.map(({ from, to, dead }) => [String(from), String(to), dead]),
  };
}

export async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return error instanceof Error && 'type' in error ? String(error.type) : String(error);
  }
}
