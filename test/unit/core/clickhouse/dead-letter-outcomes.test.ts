import { expect } from 'chai';
import {
  readBlocksWithDead,
  readDeadLetterAccounting,
  readResolvedLetters,
  readSameBatches,
} from '#core/clickhouse';
import { type Answer, recordedClickHouse } from '../../../support/servers/upstream/clickhouse-server.ts';

const PLACE = { epoch: 2, partition: 1 };

describe('what ClickHouse knows of dead letters', () => {
  let answer: (topic: string) => Answer;

  const clickhouse = recordedClickHouse(({ params }) => answer(params['param_topic'] ?? ''));
  beforeEach(() => {
    answer = () => [];
  });

  const only = () => {
    expect(clickhouse.statements).to.have.length(1);
    return clickhouse.statements[0];
  };

  it('is which of them were replayed or dropped, and which of these had been counted before', async () => {
    answer = (topic) =>
      topic === 'replayed/counts'
        ? [
            { ...PLACE, from_offset: '9007199254740993', duplicates: '0' },
            { ...PLACE, from_offset: '8', duplicates: '1' },
          ]
        : [{ ...PLACE, from_offset: '7', duplicates: '0' }];
    const letter = { topic: 'counts', ...PLACE };
    expect(await readResolvedLetters(clickhouse.db, 'counts')).to.deep.equal([
      { ...letter, offset: 9_007_199_254_740_993n, resolution: 'replayed', isDuplicate: false },
      { ...letter, offset: 8n, resolution: 'replayed', isDuplicate: true },
      { ...letter, offset: 7n, resolution: 'dropped', isDuplicate: false },
    ]);
    for (const { sql } of clickhouse.statements)
      expect(sql).to.equal(
        'select distinct epoch, partition, from_offset, duplicate_batches as duplicates from blocks where topic = {topic:String} FORMAT JSONEachRow',
      );
  });

  it('is which blocks have any', async () => {
    answer = () => [{ ...PLACE, from_offset: '5', to_offset: '9', dead: '2' }];
    expect(await readBlocksWithDead(clickhouse.db, 'counts')).to.deep.equal([
      { ...PLACE, from: 5n, to: 9n, dead: 2 },
    ]);
    expect(only()?.params).to.include({ param_topic: 'counts' });
    expect(only()?.sql).to.equal(
      'select epoch, partition, from_offset, to_offset, dead from blocks where topic = {topic:String} and dead > 0 FORMAT JSONEachRow',
    );
  });

  it('is whether the batch of one was counted at about the same time', async () => {
    answer = () => [{ received_at: '1795000000123' }];
    const batch = { batchId: 'of-the-letter', receivedAt: 1_795_000_000_000 };
    expect(await readSameBatches(clickhouse.db, 'counts', { batch, windowMs: 60_000 })).to.deep.equal([
      { batchId: 'of-the-letter', receivedAt: 1_795_000_000_123 },
    ]);
    expect(only()?.params).to.include({
      param_topic: 'counts',
      param_replayed: 'replayed/counts',
      param_windowMs: '60000',
      param_batchId: 'of-the-letter',
      param_receivedAt: '1795000000000',
    });
    expect(only()?.sql).to.match(/from blocks array join batch_ids as batch_id, batch_times as batch_time/);
  });

  describe('in numbers', () => {
    const NOTHING = {
      dead: 0,
      open: 0,
      replayed: 0,
      dropped: 0,
      received: 0,
      counted: 0,
      refused: 0,
      duplicate: 0,
    };

    it('is nothing before the first one', async () => {
      expect(await readDeadLetterAccounting(clickhouse.db, 'counts')).to.deep.equal(NOTHING);
      expect(only()?.params).to.include({
        param_topic: 'counts',
        param_replayed: 'replayed/counts',
        param_dropped: 'dropped/counts',
      });
      expect(only()?.sql).to.include('from blocks as b where topic in ({topic:String}');
    });

    it('is how many are open, and what the replayed ones added', async () => {
      const replayed = { received: '20', counted: '10', refused: '6', duplicate: '4' };
      answer = () => [{ dead: '9', replayed: '3', dropped: '2', ...replayed }];
      expect(await readDeadLetterAccounting(clickhouse.db, 'counts')).to.deep.equal({
        dead: 9,
        open: 4,
        replayed: 3,
        dropped: 2,
        received: 20,
        counted: 10,
        refused: 6,
        duplicate: 4,
      });
    });

    it('is never less than nothing, because the record of a replay outlives the block of its letter', async () => {
      answer = () => [{ ...Object.fromEntries(Object.keys(NOTHING).map((key) => [key, '0'])), dropped: '1' }];
      expect(await readDeadLetterAccounting(clickhouse.db, 'counts')).to.deep.equal({
        ...NOTHING,
        dropped: 1,
      });
    });
  });
});
