import { expect } from 'chai';
import {
  type ClickHouse,
  type RetentionRule,
  copyRetention,
  keptBy,
  readBeyond,
  readRetention,
  retentionRules,
  ruleText,
  setRetention,
} from '#core/clickhouse';
import {
  type Answer,
  type RecordingServer,
  openReplicas,
  startRecordingServer,
} from '../../../support/servers/upstream/clickhouse-server.ts';

const HOURS: RetentionRule = { table: 'usage_hourly', time: 'hour', unit: 'Day', count: 90 };
const MONTHS: RetentionRule = { table: 'usage_daily', time: 'day', unit: 'Month', count: 25 };

describe('how long tables keep rows', () => {
  it('is as the settings say, for each table', () => {
    const settings = {
      minutelyHours: 6,
      hourlyDays: 1,
      dailyMonths: 2,
      refusalsDays: 3,
      blocksDays: 4,
      auditDays: 5,
    };
    const rules = retentionRules(settings).map((rule) => [rule.table, ruleText(rule)]);
    expect(Object.fromEntries(rules)).to.deep.equal({
      usage_minutely: 'toStartOfDay(minute + toIntervalDay(1)) + toIntervalHour(6)',
      usage_hourly: 'hour + toIntervalDay(1)',
      variants_hourly: 'hour + toIntervalDay(1)',
      impact_hourly: 'hour + toIntervalDay(1)',
      gauges_hourly: 'hour + toIntervalDay(1)',
      evidence_hourly: 'hour + toIntervalDay(1)',
      reasons_hourly: 'hour + toIntervalDay(1)',
      relay_reports: 'toDateTime(received_at) + toIntervalDay(1)',
      usage_daily: 'day + toIntervalMonth(2)',
      variants_daily: 'day + toIntervalMonth(2)',
      impact_daily: 'day + toIntervalMonth(2)',
      impact_metric_states: 'last_hour + toIntervalMonth(2)',
      reasons_daily: 'day + toIntervalMonth(2)',
      relays_daily: 'day + toIntervalMonth(2)',
      refusals_daily: 'day + toIntervalDay(3)',
      blocks: 'toDateTime(stored_at) + toIntervalDay(4)',
    });
  });

  it('is known of a rule of ours only', () => {
    expect(keptBy(HOURS, 'hour + toIntervalDay(120)')).to.equal(120);
    expect(keptBy(MONTHS, 'day + toIntervalMonth(25)')).to.equal(25);
    for (const other of [
      '',
      'hour + toIntervalMonth(3)',
      'day + toIntervalDay(3)',
      'hour + toIntervalDay(3) DELETE WHERE yes = 0',
      'toDate(hour) + toIntervalDay(3)',
      'hour + toIntervalDay(x)',
      'hour + toIntervalDay(1.5)',
    ])
      expect(keptBy(HOURS, other), other).to.equal(undefined);
  });

  describe('in ClickHouse', () => {
    let servers: RecordingServer[];
    let dbs: ClickHouse[];
    /** What the view `retention` of each server shows, or another query. */
    let answers: Answer[];

    beforeEach(async () => {
      answers = [[], []];
      servers = await Promise.all([0, 1].map((index) => startRecordingServer(() => answers[index] ?? [])));
      dbs = servers.map((server) => openReplicas([server]));
    });
    afterEach(() => Promise.all([...dbs, ...servers].map((one) => one.close())));

    const db = (index: number): ClickHouse => dbs[index] as ClickHouse; // There are two.
    const statementsOf = (index: number) => (servers[index]?.statements ?? []).map(({ sql }) => sql);

    it('is read with the oldest and the newest row, which an empty table does not have', async () => {
      const days = { oldest: '2026-11-01', newest: '2026-11-27' };
      answers[0] = [
        { table_name: 'blocks', kept: 'a', ...days, stored_bytes: '18' },
        { table_name: 'empty', kept: '', stored_bytes: '0' },
      ];
      expect(await readRetention(db(0))).to.deep.equal([
        { table: 'blocks', kept: 'a', ...days, bytes: 18 },
        { table: 'empty', kept: '', oldest: undefined, newest: undefined, bytes: 0 },
      ]);
      expect(statementsOf(0)).to.deep.equal([
        'select table_name, kept, oldest, newest, stored_bytes from retention order by table_name FORMAT JSONEachRow',
      ]);
    });

    it('shows before a change what it would delete', async () => {
      answers[0] = [{ rows: '12', days: '3' }];
      expect(await readBeyond(db(0), HOURS)).to.deep.equal({ rows: 12, days: 3 });
      answers[0] = [];
      expect(await readBeyond(db(0), HOURS)).to.deep.equal({ rows: 0, days: 0 });
      expect(statementsOf(0)[0]).to.equal(
        "select count() as rows, uniqExact(toDate(hour)) as days from `usage_hourly` where hour + toIntervalDay(90) <= now('UTC') FORMAT JSONEachRow",
      );
      await readBeyond(db(0), { ...HOURS, count: 0 });
      expect(statementsOf(0)[2]).to.equal(
        'select count() as rows, uniqExact(toDate(hour)) as days from `usage_hourly` where true FORMAT JSONEachRow',
      );
    });

    it('is changed for the rows that are stored too, on the cluster if there is one', async () => {
      await setRetention(db(0), HOURS, '');
      await setRetention(db(0), MONTHS, 'main');
      expect(statementsOf(0)).to.deep.equal([
        'alter table `usage_hourly` modify ttl hour + toIntervalDay(90)',
        'alter table `usage_daily` on cluster `main` modify ttl day + toIntervalMonth(25)',
      ]);
      for (const { params } of servers[0]?.statements ?? [])
        expect(params).to.include({ materialize_ttl_after_modify: '1' });
    });

    it('is the same in a copy of the database, without statements that change nothing', async () => {
      const row = (table_name: string, kept: string) => ({ table_name, kept, stored_bytes: '0' });
      answers = [
        [
          row('equal', 'day + 1'),
          row('longer', 'day + 2'),
          row('for_ever', ''),
          row('not_copied', 'day + 3'),
        ],
        [row('equal', 'day + 1'), row('longer', 'day + 1'), row('for_ever', 'day + 1')],
      ];
      await copyRetention(db(0), db(1));
      expect(statementsOf(0)).to.have.length(1);
      expect(statementsOf(1).slice(1)).to.deep.equal(['alter table `longer` modify ttl day + 2']);
    });
  });
});
