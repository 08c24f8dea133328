import {
  type Block,
  type CountedBatch,
  DuplicateWindow,
  type LogMessage,
  buildBlock,
  decodeCounts,
} from '#counting';
import { RECEIVED_AT } from '../builders/builders.ts';
import { rowsOf } from './naive-sums.ts';

export const WINDOW_MS = 45_000;

/** Stores a log block by block, like a worker that never stops. */
export function replay(log: readonly (readonly LogMessage[])[]): Block[] {
  const window = new DuplicateWindow(WINDOW_MS);
  return log.map((messages) => storeBlock(messages, window));
}

/**
 * Stores a log block by block, like a chain of workers that each store one block. Each reads from the store which
 * batches earlier blocks counted, in any order and only as far back as the horizon.
 */
export function replayWithRestarts(log: readonly (readonly LogMessage[])[]): Block[] {
  const stored: CountedBatch[] = [];
  return log.map((messages) => {
    const window = new DuplicateWindow(WINDOW_MS);
    const latest = Math.max(0, ...stored.map(({ receivedAt }) => receivedAt));
    const recent = stored.filter(({ receivedAt }) => receivedAt >= latest - window.horizonMs);
    window.load(recent.toSorted((a, b) => b.receivedAt - a.receivedAt));
    const block = storeBlock(messages, window);
    stored.push(...block.batches);
    return block;
  });
}

/** The visible content of a block. Two blocks with the same content insert the same rows. */
export function contentOf({ sums, ...rest }: Block): unknown {
  return { ...rest, rows: rowsOf(sums) };
}

/**
 * The batches that count by the rule alone: no batch with the same id was counted within a window before or after.
 */
export function countedByTheRule(log: readonly LogMessage[]): CountedBatch[] {
  const counted: CountedBatch[] = [];
  for (const { value, appendedAt } of log) {
    const result = decodeCounts(value);
    if ('problem' in result) continue;
    const { batchId, receivedAt: claimed } = result.message;
    const receivedAt = Math.min(claimed, appendedAt);
    const isRepeat = counted.some(
      (batch) => batch.batchId === batchId && Math.abs(receivedAt - batch.receivedAt) < WINDOW_MS,
    );
    if (!isRepeat) counted.push({ batchId, receivedAt });
  }
  return counted;
}

function storeBlock(messages: readonly LogMessage[], window: DuplicateWindow): Block {
  const { block, remember } = buildBlock(rangeOf(messages), messages, window);
  remember();
  return block;
}

/** The offset range of these messages. */
export function rangeOf(messages: readonly LogMessage[]): Block['range'] {
  const from = messages[0]?.offset ?? 0n;
  const to = (messages.at(-1)?.offset ?? -1n) + 1n;
  return { topic: 'counts', epoch: 1, partition: 0, from, to };
}

/** One block of these messages, by a worker that has counted nothing before. */
export function blockOf(messages: readonly LogMessage[]): Block {
  return storeBlock(messages, new DuplicateWindow(WINDOW_MS));
}

/** The receipt of a batch so many milliseconds after the first. */
export function afterMs(ms: number): number {
  return RECEIVED_AT + ms;
}
