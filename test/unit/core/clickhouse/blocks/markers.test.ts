import { expect } from 'chai';
import { readTargetStatus } from '../../../../../packages/core/clickhouse/blocks/markers.ts';
import { aMetric } from '../../../../support/builders/builders.ts';
import { aBlock, aDeadBlock } from '../../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { type Answer, recordedClickHouse } from '../../../../support/servers/upstream/clickhouse-server.ts';

const RECEIVED_AT = Date.UTC(2026, 11, 1, 0, 10);
const DAYS = ['2026-12-01', '2026-11-29', '2026-11-30'];

/** One message, at offset 5, whose metrics are of three days and two months. */
const BLOCK = aBlock({
  from: 5n,
  receivedAt: RECEIVED_AT,
  appendedAt: RECEIVED_AT + 5,
  metrics: DAYS.map((day) => aMetric({ yes: 1, timestamp: `${day}T00:05:00Z` })),
});

describe('the status of the targets of a block', () => {
  /** What the markers of earlier blocks add up to, and what the tables have. */
  let earlier: Answer;
  let found: Answer;

  let minutes: Answer;

  const clickhouse = recordedClickHouse(({ sql }) => {
    if (sql.includes('usage_minutely_view')) return minutes;
    return sql.includes('arrayJoin(markers)') ? earlier : found;
  });
  beforeEach(() => {
    [earlier, found, minutes] = [[], [], [{ compared_from: '1970-01-01' }]];
  });

  it('is read from the markers of the last day of each month, whatever the order of the metrics', async () => {
    await readTargetStatus(clickhouse.db, BLOCK);
    const [before, now] = clickhouse.statements;
    const markers = ['usage_hourly 2026-11-30', 'usage_daily 2026-11-30'];
    const later = ['usage_hourly 2026-12-01', 'usage_daily 2026-12-01', 'usage_minutely 2026-12-01'];

    expect(before?.params).to.include({
      param_markers: `[${[...markers, ...later].map((marker) => `'${marker}'`).join(',')}]`,
      param_firstDay: '2026-11-30 00:00:00',
      param_from: '5',
      param_to: '6',
    });
    expect(now?.sql.split(' union all ')).to.have.length(5);
    expect([0, 1, 2, 3, 4].map((index) => now?.params[`param_marker${index}`])).to.deep.equal([
      ...markers,
      ...later,
    ]);
    expect([0, 1, 2, 3, 4].map((index) => now?.params[`param_day${index}`])).to.deep.equal([
      '2026-11-30',
      '2026-11-30',
      '2026-12-01',
      '2026-12-01',
      '2026-12-01',
    ]);
    expect(now?.params).to.include({ param_key: 'counts:1:0' });
  });

  it('compares what a table has with the messages of earlier blocks and of this one', async () => {
    earlier = [
      { marker: '', messages: '1' },
      { marker: 'usage_hourly 2026-11-30', messages: '3' },
      { marker: 'usage_daily 2026-11-30', messages: '3' },
      { marker: 'usage_hourly 2026-12-01', messages: '3' },
    ];
    found = [
      { marker: 'usage_hourly 2026-11-30', messages: '4' },
      { marker: 'usage_daily 2026-11-30', messages: '3' },
      { marker: 'usage_hourly 2026-12-01', messages: '2' },
    ];

    expect(await readTargetStatus(clickhouse.db, BLOCK)).to.deep.equal({
      stored: ['blocks', 'usage_hourly 202611'],
      missing: ['usage_daily 202611', 'usage_daily 202612', 'usage_minutely 20261201'],
      unclear: ['usage_hourly 202612'],
    });
  });

  it('has nothing to send to the table of minutes if they are not kept', async () => {
    minutes = [];
    const { stored, missing } = await readTargetStatus(clickhouse.db, BLOCK);
    expect(stored).to.include('usage_minutely 20261201');
    expect(missing).to.include('usage_daily 202612').and.not.include('usage_minutely 20261201');
  });

  it('needs no markers if nothing of the block can be decoded', async () => {
    expect(await readTargetStatus(clickhouse.db, aDeadBlock(5n))).to.deep.equal({
      stored: [],
      missing: ['blocks'],
      unclear: [],
    });
    expect(clickhouse.statements.map(({ params }) => params['param_firstDay'])).to.deep.equal([
      '1970-01-01 00:00:00',
    ]);
  });
});
