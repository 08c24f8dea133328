import {
  type Block,
  type CountedBatch,
  DuplicateWindow,
  type LogMessage,
  ageingBy,
  buildBlock,
  decodeCounts,
  endOf,
  horizonOf,
} from '#core/counting';
import { RECEIVED_AT } from '../builders/builders.ts';
import { rowsOf } from './naive-sums.ts';

export const WINDOW_MS = 45_000;

/** Stores a log block by block, like a worker that never stops. */
export function replay(log: readonly (readonly LogMessage[])[]): Block[] {
  const window = new DuplicateWindow(WINDOW_MS);
  return log.map((messages) => storeBlock(messages, window));
}

/**
 * Stores a log block by block, like a chain of workers that each store one block. Each reads from the store which batches the
 * latest blocks counted, as far back as they are remembered.
 */
export function replayWithRestarts(log: readonly (readonly LogMessage[])[]): Block[] {
  const stored: Block[] = [];
  return log.map((messages) => {
    const window = new DuplicateWindow(WINDOW_MS);
    for (const block of recentOf(stored)) window.remember({ ...endOf(block), batches: block.batches });
    const block = storeBlock(messages, window);
    stored.push(block);
    return block;
  });
}

/** The blocks whose batches are still remembered after the last one. */
function recentOf(stored: readonly Block[]): Block[] {
  return stored.filter((_, index) => {
    const steps = stored
      .slice(index + 1)
      .map((next, step) => ageingBy(endOf(next), endOf(stored[index + step] ?? next)));
    return steps.reduce((sum, ms) => sum + ms, 0) <= horizonOf(WINDOW_MS);
  });
}

/** The visible content of a block. Two blocks with the same content insert the same rows. */
export function contentOf({ sums, ...rest }: Block): unknown {
  return { ...rest, rows: rowsOf(sums) };
}

/**
 * The batches of each block that count by the rule alone: no remembered batch with the same id was received within a window
 * before or after.
 */
export function countedByTheRule(log: readonly (readonly LogMessage[])[]): CountedBatch[][] {
  const blocks = log.map((messages) => ({ ...blockOf(messages), batches: [] as CountedBatch[] }));
  for (const [index, messages] of log.entries()) {
    const known = [...recentOf(blocks.slice(0, index)), ...blocks.slice(index, index + 1)];
    for (const { value } of messages) {
      const result = decodeCounts(value);
      if ('problem' in result) continue;
      const { batchId, receivedAt } = result.message;
      const isRepeat = known.some(({ batches }) =>
        batches.some((one) => one.batchId === batchId && Math.abs(receivedAt - one.receivedAt) < WINDOW_MS),
      );
      if (!isRepeat) blocks[index]?.batches.push({ batchId, receivedAt });
    }
  }
  return blocks.map(({ batches }) => batches);
}

function storeBlock(messages: readonly LogMessage[], window: DuplicateWindow): Block {
  const { block, remember } = buildBlock(rangeOf(messages), messages, { duplicates: window });
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
