import { expect } from 'chai';
import { DuplicateWindow, SeriesStates, buildBlock, seriesKeyOf } from '#core/counting';
import {
  counterLines,
  readSeriesBefore,
  readSeriesForRebuild,
} from '../../../../../packages/core/clickhouse/blocks/counter-states.ts';
import { MIXED_COLUMNS } from '../../../../../packages/core/clickhouse/blocks/rows/row-values.ts';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { aPointsValue } from '../../../../support/builders/points.ts';
import { type Answer, recordedClickHouse } from '../../../../support/servers/upstream/clickhouse-server.ts';

const KEY = { topic: 'counts', epoch: 2, partition: 3 };
const DAY_MS = 86_400_000;
const DAY = Math.floor(RECEIVED_AT / DAY_MS);
const TOKEN = 'token';
const STARTED_AT = (RECEIVED_AT - 3_600_000) * 1000;
const [BEFORE, NOW] = [(RECEIVED_AT - 60_000) * 1000, RECEIVED_AT * 1000];

describe('the rows of counters', () => {
  it('have what a block knows of each counter that it changes, at its end and at its beginning', () => {
    const known = [
      ['risen', 5],
      ['fallen', 9],
    ] as const;
    const series = new SeriesStates(
      known.map(([counter, value]) => ({
        token: TOKEN,
        series: seriesKeyOf([counter]),
        startedAt: STARTED_AT,
        state: { value, at: BEFORE, isBroken: false, seenAt: RECEIVED_AT - DAY_MS },
      })),
    );
    const points = ['risen', 'fallen', 'new'].map((counter) => ({ counter, value: 7 }));
    const message = { offset: 5n, value: aPointsValue(points), appendedAt: RECEIVED_AT };
    const history = { duplicates: new DuplicateWindow(45_000), series };
    const { block } = buildBlock({ ...KEY, from: 5n, to: 6n }, [message], history);
    const rows = Array.from(counterLines(block), rowOf);

    expect(rows.map(({ kind, hour }) => [kind, hour])).to.deep.equal(
      rows.map(() => ['counter', DAY * 86_400]),
    );
    const place = { ...KEY, from_offset: '5', to_offset: '6', token_id: TOKEN, started_at: STARTED_AT };
    const before = RECEIVED_AT - DAY_MS;
    const states = {
      risen: { state: [7, NOW, 0, RECEIVED_AT], before: [5, BEFORE, 0, before] },
      fallen: { state: [9, BEFORE, 1, RECEIVED_AT], before: [9, BEFORE, 0, before] },
      new: { state: [7, NOW, 0, RECEIVED_AT], before: [] },
    };
    expect(rows.flatMap(({ counter }) => counter)).to.have.deep.members(
      Object.entries(states).map(([counter, known]) => ({
        ...place,
        series: seriesKeyOf([counter]),
        ...known,
      })),
    );
  });
});

describe('the stored states of counters', () => {
  let days: Answer;

  const clickhouse = recordedClickHouse(({ sql }) => (sql.includes('as ended_day') ? days : STATES));
  beforeEach(() => {
    days = [];
  });

  const STATES = [
    { token_id: 'a', series: 'one', started: '10', known: ['7', '20', '0', '30'] },
    { token_id: 'b', series: 'two', started: '11', known: ['8', '21', '1', '31'] },
  ];
  const KNOWN = [
    { token: 'a', series: 'one', startedAt: 10, state: { value: 7, at: 20, isBroken: false, seenAt: 30 } },
    { token: 'b', series: 'two', startedAt: 11, state: { value: 8, at: 21, isBroken: true, seenAt: 31 } },
  ];

  it('are read as of an offset, of the days that count', async () => {
    expect(await readSeriesBefore(clickhouse.db, KEY, 5n)).to.deep.equal(KNOWN);

    const [read] = clickhouse.statements;
    expect(read?.sql).to.include('and day + {kept:UInt8} >= ( select max(day) from counter_states');
    expect(read?.params).to.include({
      param_topic: 'counts',
      param_epoch: '2',
      param_partition: '3',
      param_before: '5',
      param_kept: '30',
    });
  });

  for (const [what, from, start, day] of [
    ['where it is asked to, behind the last day', 9n, 9n, '2026-11-20'],
    ['where it is asked to, at the end of the last day', 4n, 4n, '2026-11-20'],
    ['at the end of an earlier day, within the last one', 3n, 2n, '2026-11-19'],
    ['at the start of the log, within the first day', 0n, 0n, '1970-01-01'],
  ] as const)
    it(`let a rebuild begin ${what}`, async () => {
      days = [
        { ended_day: '2026-11-18', ended_to: '1' },
        { ended_day: '2026-11-19', ended_to: '2' },
        { ended_day: '2026-11-20', ended_to: '4' },
      ];

      expect(await readSeriesForRebuild(clickhouse.db, KEY, from)).to.deep.equal({
        from: start,
        known: KNOWN,
      });
      const read = clickhouse.statements.at(-1);
      expect(read?.sql).to.include('(epoch < {epoch:UInt32} or day <= {day:Date})');
      expect(read?.params).to.include({ param_before: String(start), param_day: day });
    });

  it('let a rebuild begin where it is asked to if there are none', async () => {
    expect(await readSeriesForRebuild(clickhouse.db, KEY, 5n)).to.include({ from: 5n });
    expect(clickhouse.statements.at(-1)?.params).to.include({ param_before: '5', param_day: '1970-01-01' });
  });
});

type CounterRow = { readonly kind: unknown; readonly hour: unknown; readonly counter: readonly unknown[] };

function rowOf(line: string): CounterRow {
  const values = JSON.parse(`[${line}`) as unknown[]; // our own line
  const columns = Object.fromEntries(values.map((value, index) => [MIXED_COLUMNS[index] ?? '', value]));
  return columns as CounterRow;
}
