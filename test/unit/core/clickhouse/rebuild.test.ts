import { expect } from 'chai';
import {
  countOtherEpochs,
  dropDatabase,
  mergeSeen,
  readCountTables,
  readExtent,
  readRangeAt,
  readRangesFrom,
  replaceDays,
  restoreBlocks,
} from '#core/clickhouse';
import { type Answer, recordedClickHouse } from '../../../support/servers/upstream/clickhouse-server.ts';

const KEY = { topic: 'counts', epoch: 2, partition: 1 };
const PARAMS = { param_topic: 'counts', param_epoch: '2', param_partition: '1' };
const OF_KEY = 'where topic = {topic:String} and epoch = {epoch:UInt32} and partition = {partition:UInt32}';
const COPY = { deduplicate_insert_select: 'disable', async_insert: '0', wait_end_of_query: '1' };

describe('what is needed to rebuild days', () => {
  let answer: Answer;

  const clickhouse = recordedClickHouse(() => answer);
  beforeEach(() => {
    answer = [];
  });

  const first = () => clickhouse.statements[0];
  const statements = (): string[] => clickhouse.statements.map(({ sql }) => sql);

  it('are the blocks from an offset on', async () => {
    answer = [{ from_offset: '9007199254740993', to_offset: '9007199254740995', dead: '1' }];
    expect(await readRangesFrom(clickhouse.db, KEY, { from: 7n, limit: 100 })).to.deep.equal([
      { from: 9_007_199_254_740_993n, to: 9_007_199_254_740_995n, dead: 1 },
    ]);
    expect(first()?.params).to.include({ ...PARAMS, param_from: '7', param_limit: '100' });
    expect(first()?.sql).to.equal(
      `select from_offset, to_offset, dead from blocks ${OF_KEY} and from_offset >= {from:UInt64} order by from_offset limit {limit:UInt32} FORMAT JSONEachRow`,
    );
  });

  it('is the block that holds an offset, if there is one', async () => {
    expect(await readRangeAt(clickhouse.db, KEY, 7n)).to.equal(undefined);
    answer = [{ from_offset: '5', to_offset: '9', dead: '0' }];
    expect(await readRangeAt(clickhouse.db, KEY, 7n)).to.deep.equal({ from: 5n, to: 9n, dead: 0 });
    expect(first()?.params).to.include({ ...PARAMS, param_offset: '7' });
    expect(first()?.sql).to.include('from_offset <= {offset:UInt64} and to_offset > {offset:UInt64} limit 1');
  });

  it('is where and when the blocks of a partition end', async () => {
    answer = [{ blocks: '3', messages: '40', stored_to: '50', appended: '1795000000123' }];
    expect(await readExtent(clickhouse.db, KEY, 10n)).to.deep.equal({
      messages: 40n,
      storedTo: 50n,
      appendedTo: 1_795_000_000_123,
    });
    expect(first()?.params).to.include({ ...PARAMS, param_from: '10' });
    expect(first()?.sql).to.include(`from blocks ${OF_KEY}`);
    answer = [{ blocks: '0', messages: '0', stored_to: '0', appended: '0' }];
    const nothing = { messages: 0n, storedTo: undefined, appendedTo: 0 };
    expect(await readExtent(clickhouse.db, KEY, 10n)).to.deep.equal(nothing);
    answer = [];
    expect(await readExtent(clickhouse.db, KEY, 10n)).to.deep.equal(nothing);
  });

  it('is how many blocks of earlier logs add to the days', async () => {
    answer = [{ blocks: '4' }];
    const of = { topic: 'counts', epoch: 2, day: '2026-11-01' };
    expect(await countOtherEpochs(clickhouse.db, of)).to.equal(4);
    expect(first()?.params).to.include({ param_topic: 'counts', param_epoch: '2', param_day: '2026-11-01' });
    expect(first()?.sql).to.include('epoch != {epoch:UInt32} and (received_to >= {day:Date}');
    answer = [];
    expect(await countOtherEpochs(clickhouse.db, of)).to.equal(0);
  });

  it('are the tables of counts, by month, by day or over all time', async () => {
    const table = (name: string, engine: string, partition_key: string) => ({ name, engine, partition_key });
    answer = [
      table('by_hour', 'SummingMergeTree', 'toYYYYMM(hour)'),
      table('by_day', 'ReplicatedAggregatingMergeTree', 'toYYYYMM(day)'),
      table('by_minute', 'SummingMergeTree', 'toYYYYMMDD(minute)'),
      table('seen', 'ReplicatedAggregatingMergeTree', ''),
      table('sums_for_ever', 'SummingMergeTree', ''),
      table('by_other', 'AggregatingMergeTree', 'toYYYYMM(other)'),
    ];
    expect(await readCountTables(clickhouse.db)).to.deep.equal({
      partitioned: [
        { name: 'by_hour', column: 'hour', partitionBy: 'toYYYYMM' },
        { name: 'by_day', column: 'day', partitionBy: 'toYYYYMM' },
        { name: 'by_minute', column: 'minute', partitionBy: 'toYYYYMMDD' },
      ],
      seen: ['seen'],
    });
    expect(first()?.sql).to.equal(
      "select name, engine, partition_key from system.tables where database = currentDatabase() and (engine like '%SummingMergeTree' or engine like '%AggregatingMergeTree') order by name FORMAT JSONEachRow",
    );
  });

  it('adds missing blocks, and first and last times, without deduplication', async () => {
    await restoreBlocks(clickhouse.db, 'sc`ratch', 'counts');
    await mergeSeen(clickhouse.db, 'scratch', 'seen_states');
    expect(first()?.params).to.include({ ...COPY, param_topic: 'counts' });
    expect(statements()).to.deep.equal([
      'insert into blocks select * replace (appended_to as stored_at) from `sc\\`ratch`.blocks where topic = {topic:String} and (epoch, partition, from_offset) not in ( select epoch, partition, from_offset from blocks where topic = {topic:String} )',
      'insert into `seen_states` select * from `scratch`.`seen_states`',
    ]);
    expect(clickhouse.statements[1]?.params).to.include(COPY);
  });

  describe('replaces days of a partition', () => {
    const DAYS = {
      source: 'scratch',
      target: 'flagmeter',
      partition: 202_611,
      from: '2026-11-03',
      to: '2026-11-05',
    };
    const IN_DAYS = "toDate(hour) >= '2026-11-03' and toDate(hour) < '2026-11-05'";
    const replacing = (): Promise<void> =>
      replaceDays(clickhouse.db, { name: 'usage_hourly', column: 'hour', partitionBy: 'toYYYYMM' }, DAYS);

    it('in one step', async () => {
      answer = [{ isEmpty: false }];
      await replacing();
      expect(statements()).to.deep.equal([
        'drop table if exists `scratch`.`usage_hourly_next` sync',
        'create table `scratch`.`usage_hourly_next` as `scratch`.`usage_hourly`',
        `insert into \`scratch\`.\`usage_hourly_next\` select * from \`flagmeter\`.\`usage_hourly\` where toYYYYMM(hour) = 202611 and not (${IN_DAYS})`,
        `insert into \`scratch\`.\`usage_hourly_next\` select * from \`scratch\`.\`usage_hourly\` where toYYYYMM(hour) = 202611 and ${IN_DAYS}`,
        'select toBool(count() = 0) as isEmpty from `scratch`.`usage_hourly_next` FORMAT JSONEachRow',
        'alter table `flagmeter`.`usage_hourly` replace partition 202611 from `scratch`.`usage_hourly_next`',
        'drop table `scratch`.`usage_hourly_next` sync',
      ]);
      for (const index of [2, 3]) expect(clickhouse.statements[index]?.params).to.include(COPY);
      expect(clickhouse.statements[5]?.params).to.include({ max_partition_size_to_drop: '0' });
    });

    it('by none, because ClickHouse rejects a replacement from an empty table', async () => {
      answer = [{ isEmpty: true }];
      await replacing();
      expect(statements()[5]).to.equal('alter table `flagmeter`.`usage_hourly` drop partition 202611');
    });
  });

  it('drops a database at once', async () => {
    await dropDatabase(clickhouse.db, 'scratch');
    expect(statements()).to.deep.equal(['drop database if exists `scratch` sync']);
  });
});
