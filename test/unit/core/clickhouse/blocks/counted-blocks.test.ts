import { expect } from 'chai';
import { readCountedBlocks } from '../../../../../packages/core/clickhouse/blocks/counted-blocks.ts';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import {
  type Answer,
  type Statement,
  recordedClickHouse,
} from '../../../../support/servers/upstream/clickhouse-server.ts';

const KEY = { topic: 'counts', epoch: 2, partition: 3 };
const LAST = 1500;

/** A stored block of one message. The last one ends at LAST. */
type Row = { readonly from_offset: string; readonly to_offset: string; readonly appended: string };

describe('the blocks that a duplicate window knows', () => {
  /** How far apart the blocks are in time. */
  let everyMs: number;

  const clickhouse = recordedClickHouse(answer);

  function answer({ sql, params }: Statement): Answer {
    const start = Number(params['param_start']);
    if (sql.includes('batch_ids')) return rowsFrom(start).map(withBatches);
    return Array.from({ length: Math.min(start, 1000) }, (_, index) => rowAt(start - 1 - index));
  }

  function rowAt(offset: number): Row {
    const appended = RECEIVED_AT - (LAST - offset) * everyMs;
    return { from_offset: String(offset), to_offset: String(offset + 1), appended: String(appended) };
  }

  function rowsFrom(start: number): Row[] {
    return Array.from({ length: LAST - start }, (_, index) => rowAt(start + index));
  }

  const readTo = (to: number, horizonMs: number) =>
    readCountedBlocks(clickhouse.db, KEY, { to: BigInt(to), horizonMs });

  it('are those that are not older than the horizon, with the times of their batches', async () => {
    everyMs = 4000;
    const blocks = await readTo(LAST, 8000);
    const receipts = [LAST - 3, LAST - 2, LAST - 1].map((offset) => Number(rowAt(offset).appended));

    expect(blocks).to.deep.equal(
      receipts.map((at) => ({
        messages: 1,
        appendedTo: at,
        batches: [{ batchId: `at ${at}`, receivedAt: at }],
      })),
    );
  });

  it('are searched backwards from the offset in pages, until one is older than the horizon', async () => {
    everyMs = 4000;
    await readTo(LAST, 1200 * 4000);
    const starts = clickhouse.statements.map(({ params }) => [params['param_start'], params['param_to']]);

    expect(starts).to.deep.equal([
      [String(LAST), String(LAST)],
      [String(LAST - 1000), String(LAST)],
      [String(LAST - 1201), String(LAST)],
    ]);
  });

  it('are all if the log is younger than the horizon', async () => {
    everyMs = 1;
    expect(await readTo(LAST, 60_000)).to.have.length(LAST);
  });

  it('are of one partition and epoch only', async () => {
    everyMs = 1;
    await readTo(3, 60_000);
    const condition = 'topic = {topic:String} and epoch = {epoch:UInt32} and partition = {partition:UInt32}';

    for (const { sql, params } of clickhouse.statements) {
      expect(sql).to.include(condition);
      expect(params).to.include({ param_topic: 'counts', param_epoch: '2', param_partition: '3' });
    }
  });
});

function withBatches(row: Row) {
  return { ...row, batch_ids: [`at ${row.appended}`], receipts: [row.appended] };
}
