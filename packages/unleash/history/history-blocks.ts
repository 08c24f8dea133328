import { type Blocks, LARGEST_USED_RATIO } from '#core/clickhouse';
import { type Block, DuplicateWindow, HISTORY_TOPIC, buildBlock } from '#core/counting';
import type { OperatorLock, Postgres } from '#base/postgres';
import { FlagmeterError } from '#base/runtime';
import { type HistoryImport, type HistoryImports, createHistoryImports } from './imports.ts';

/** At most 32,000 rows or 4 MiB of names, because a page has 1,000 rows or 128 KiB. */
const MESSAGES_PER_BLOCK = 32n;

export type StoreOptions = {
  readonly imports: HistoryImports;
  readonly blocks: Blocks;
  /** ClickHouse has blocks up to here, perhaps more than an older state of Postgres knows. */
  readonly countedTo: bigint;
  readonly lock: OperatorLock;
  readonly onProgress: (text: string) => void;
};

/**
 * Counts the messages of an import that are not counted yet. The order of effects for each block:
 *
 *   1. Postgres    record the block as intent
 *   2. ClickHouse  one INSERT under the token of the block
 *   3. Postgres    record the end of the block, delete the intent
 *
 * After a crash between 1 and 3, the next run first completes exactly this block, as a worker does.
 */
export async function storeImport(one: HistoryImport, options: StoreOptions): Promise<void> {
  const { imports, blocks, countedTo, lock, onProgress } = options;
  const { number, messages, intent } = one;
  if (countedTo > messages) throw otherRows(number);
  let from = one.storedTo;
  if (intent !== undefined) {
    if (countedTo <= intent.to) await failIfForgotten(blocks, intent.at);
    await blocks.complete(await readBlock(imports, one, { from, to: intent.to }));
    await imports.endBlock(number, from, intent.to);
    from = intent.to;
  }
  let session = from < messages ? await blocks.openSession() : undefined;
  while (from < messages) {
    lock.check();
    const to = endOfBlock(from, messages);
    const block = await readBlock(imports, one, { from, to });
    await imports.beginBlock(number, from, to);
    session = await (to <= countedTo ? blocks.complete(block) : blocks.insert(block, session));
    await imports.endBlock(number, from, to);
    from = to;
    onProgress(`${from} of ${messages} messages counted`);
  }
}

function otherRows(number: number): FlagmeterError {
  const message = `ClickHouse has counted more rows as import ${number} than Postgres has of it: Postgres has another import with this number; compare "flagmeter reconcile" with history_imports`;
  return new FlagmeterError('history-in-doubt', message);
}

/** ClickHouse can only complete a block while it remembers its token. */
async function failIfForgotten(blocks: Blocks, since: number): Promise<void> {
  if ((await blocks.readWindowUsed(since)) <= LARGEST_USED_RATIO) return;
  const message =
    'the interrupted block can no longer be completed: ClickHouse has stored too many blocks since; compare "flagmeter reconcile" with history_imports';
  throw new FlagmeterError('history-in-doubt', message);
}

/** Whether a block may be in ClickHouse or not. */
export async function isHistoryInDoubt(db: Postgres): Promise<boolean> {
  return (await createHistoryImports(db).list()).some(({ intent }) => intent !== undefined);
}

/** The content of everything that was imported, in blocks. */
export async function* readHistoryBlocks(db: Postgres): AsyncGenerator<Block> {
  const imports = createHistoryImports(db);
  for (const one of await imports.list()) {
    for (let from = 0n; from < one.storedTo;) {
      const to = endOfBlock(from, one.storedTo);
      yield await readBlock(imports, one, { from, to });
      from = to;
    }
  }
}

function endOfBlock(from: bigint, end: bigint): bigint {
  const to = from + MESSAGES_PER_BLOCK;
  return to < end ? to : end;
}

async function readBlock(
  imports: HistoryImports,
  { number, startedAt }: HistoryImport,
  { from, to }: { readonly from: bigint; readonly to: bigint },
): Promise<Block> {
  const messages = await imports.readMessages(number, from, to);
  const range = { topic: HISTORY_TOPIC, epoch: 1, partition: number, from, to };
  const asLog = messages.map((message) => ({ ...message, appendedAt: startedAt }));
  // Their evaluations arrived in Unleash, and nobody knows when.
  return buildBlock(range, asLog, { duplicates: new DuplicateWindow(1), hasMinutes: false }).block;
}
