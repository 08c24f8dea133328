import { registerApplications, syncFeatures, syncInstances } from '#catalogue';
import { createBlocks } from '#clickhouse';
import { type PostgresClient, inTransaction } from '#postgres';
import { blockCount, blocksOf } from '../plan/blocks.ts';
import { type SampleDocument, documentOf } from '../plan/document.ts';
import { registrationsOf } from '../plan/registrations.ts';
import type { SampleStores } from './stored-sample.ts';

export type Filling = {
  /** Epoch milliseconds, in whole seconds. */
  readonly madeAt: number;
  readonly insertDocument: (client: PostgresClient, document: SampleDocument) => Promise<unknown>;
  readonly onProgress: (text: string) => void;
};

/**
 * Stores the sample, or the rest of an interrupted one: a repetition with the same `madeAt` adds nothing. The order of effects:
 *
 *   1. ClickHouse  blocks with the evaluations, one INSERT a week; the first one shows that there is a sample
 *   2. Postgres    the environment, projects, features, change requests and events in one transaction, then applications
 *   3. ClickHouse  the copy of the catalogue, which verdicts need at once
 */
export async function fillSample(
  { db, clickhouse }: SampleStores,
  { madeAt, insertDocument, onProgress }: Filling,
): Promise<void> {
  const blocks = createBlocks(clickhouse);
  const total = blockCount(madeAt);
  let stored = 0;
  for (const block of blocksOf(madeAt)) {
    // An interrupted command may have sent it before.
    await blocks.complete(block);
    stored += 1;
    onProgress(`${stored} of ${total} weeks stored`);
  }
  await inTransaction(db, async (client) => {
    await client.query(
      `insert into environments (name, type, sort_order, created_at)
       values ('staging', 'test', 2, $1)
       on conflict do nothing`,
      [new Date(madeAt)],
    );
    await insertDocument(client, documentOf(madeAt));
  });
  await registerApplications(db, registrationsOf(madeAt));
  await syncFeatures(db, clickhouse);
  await syncInstances(db, clickhouse);
}
