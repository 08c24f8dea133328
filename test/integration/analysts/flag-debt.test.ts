import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import type { FlagDebt } from '../../../services/admin/advice/flag-debt/schema.ts';
import { sharedCountedAdminWorld } from '../../support/admin-api/admin.ts';
import { untilItLasts } from '../../support/borders.ts';

const DAY_MS = 24 * 3_600_000;

type Row = {
  readonly age: number;
  readonly flags: number;
  readonly overdue_flags: number;
  readonly evaluations: number;
  readonly constant_evaluations: number;
};

/** All features of the test, so that the ages of days are known. */
describe('the debt of flags by day', () => {
  const world = sharedCountedAdminWorld();
  let now: number;
  const dayBefore = (days: number): string => new Date(now - days * DAY_MS).toISOString().slice(0, 10);

  before(async () => {
    // The debt changes at midnight, and knows of the new day five minutes later.
    await untilItLasts('day', 120_000, 5 * 60_000);
    now = Date.now() - 5 * 60_000;
    await features();
    await usage();
    await refreshVerdicts(world.clickhouse);
  });

  async function insert(table: string, values: object[]): Promise<void> {
    await world.clickhouse.insert({ table, values, format: 'JSONEachRow' });
  }

  async function features(): Promise<void> {
    const feature = (
      type: string,
      daysOld: number,
      members: { readonly name: string; readonly [member: string]: unknown },
    ) => ({
      type,
      project: 'shop',
      owner: 'team',
      archived: false,
      is_gone: 0,
      created_at: `${dayBefore(daysOld)} 12:00:00`,
      ...members,
    });
    await insert('feature_copies', [
      feature('release', 60, { name: 'release' }),
      feature('operational', 10, { name: 'operational', owner: '' }),
      feature('kill-switch', 900, { name: 'switch' }),
      feature('release', 100, { name: 'archived', archived: true }),
      feature('experiment', 100, { name: 'revived', project: 'other' }),
      feature('release', 100, { name: 'imported', archived: true, project: 'other' }),
      feature('release', 100, { name: 'deleted', is_gone: 1 }),
    ]);
    const event = (feature_name: string, type: string, daysAgo: number) => ({
      id: 1000 - daysAgo,
      feature_name,
      type,
      created_at: `${dayBefore(daysAgo)} 12:00:00.000`,
    });
    await insert('event_copies', [
      event('archived', 'feature-archived', 20),
      event('revived', 'feature-archived', 50),
      event('revived', 'feature-revived', 30),
    ]);
  }

  async function usage(): Promise<void> {
    const names = { app_name: 'shop', environment: 'production', reports: 1 };
    const days = (feature_name: string, from: number, counts: { yes?: number; no?: number }) =>
      Array.from({ length: from + 1 }, (_, daysAgo) => ({
        feature_name,
        ...names,
        day: dayBefore(daysAgo),
        yes: 0,
        no: 0,
        ...counts,
      }));
    await insert('usage_daily', [
      ...days('release', 59, { yes: 100 }),
      // One other evaluation, which the 30 days after it remember.
      { feature_name: 'release', ...names, day: dayBefore(5), yes: 0, no: 1 },
      ...days('switch', 59, { yes: 100 }),
      ...days('revived', 59, { no: 10 }),
      ...days('nobody-created-this', 59, { yes: 100 }),
    ]);
    const seen = ['release', 'switch', 'revived'].map((feature_name) => ({
      feature_name,
      environment: 'production',
      app_name: 'shop',
      first_hour: `${dayBefore(59)} 00:00:00`,
      last_hour: `${dayBefore(0)} 00:00:00`,
    }));
    await insert('feature_app_seen_states', seen);
  }

  async function of(condition: string, params = {}): Promise<Map<number, Row>> {
    const rows = await world.query<Row>(
      `select
         dateDiff('day', day, {today:Date})::Int32 as age,
         sum(d.flags)::UInt32 as flags,
         sum(d.overdue_flags)::UInt32 as overdue_flags,
         sum(d.evaluations)::UInt32 as evaluations,
         sum(d.constant_evaluations)::UInt32 as constant_evaluations
       from flag_debt_by_day as d
       where ${condition}
       group by age`,
      { today: dayBefore(0), ...params },
    );
    return new Map(rows.map((row) => [row.age, row]));
  }

  it('counts flags that are older than their type lasts, and none of permanent types', async () => {
    const shop = await of(`project = 'shop' and owner = 'team'`);
    // release, switch and, until it was archived, archived.
    const flagsAt = [101, 100, 61, 60, 59, 21, 20, 0].map((age) => shop.get(age)?.flags);
    expect(flagsAt).to.deep.equal([1, 2, 2, 3, 3, 3, 2, 2]);
    const overdueAt = [60, 59, 21, 20, 19, 0].map((age) => shop.get(age)?.overdue_flags);
    expect(overdueAt).to.deep.equal([0, 1, 1, 0, 1, 1]);
    const nobody = await of(`project = 'shop' and owner = ''`);
    expect([10, 3, 2, 0].map((age) => nobody.get(age)?.overdue_flags)).to.deep.equal([0, 0, 1, 1]);
  });

  it('knows from the events when a flag was archived, and keeps 750 days', async () => {
    const other = await of(`project = 'other'`);
    // Archived since it was imported, or deleted: on no day.
    expect([100, 60, 51, 50, 31, 30, 0].map((age) => other.get(age)?.flags ?? 0)).to.deep.equal([
      1, 1, 1, 0, 0, 1, 1,
    ]);
    expect(Math.max(...(await of('true')).keys())).to.equal(750);
  });

  it('counts the evaluations of flags that decided nothing for 30 days', async () => {
    const shop = await of(`project = 'shop'`);
    const evaluations = [60, 59, 5, 0].map((age) => shop.get(age)?.evaluations);
    expect(evaluations).to.deep.equal([0, 200, 201, 200]);
    // From the 30th day on, until another evaluation.
    const constant = [59, 31, 30, 6, 5, 0].map((age) => shop.get(age)?.constant_evaluations);
    expect(constant).to.deep.equal([0, 0, 100, 100, 0, 0]);
    // Too few evaluations to be sure.
    expect((await of(`project = 'other'`)).get(0)?.constant_evaluations).to.equal(0);
  });

  it('follows counts of an old day, and counts that are gone', async () => {
    const late = { feature_name: 'release', environment: 'production', app_name: 'late', reports: 1 };
    await insert('usage_daily', [{ ...late, day: dayBefore(40), yes: 0, no: 7 }]);
    await refreshVerdicts(world.clickhouse);
    const changed = await of(`project = 'shop'`);
    expect([41, 40, 39].map((age) => changed.get(age)?.evaluations)).to.deep.equal([200, 207, 200]);
    expect([30, 12, 11, 10, 6].map((age) => changed.get(age)?.constant_evaluations)).to.deep.equal([
      0, 0, 0, 100, 100,
    ]);
    await world.clickhouse.command({
      query: `alter table usage_daily delete where app_name = 'late' settings mutations_sync = 2`,
    });
    await refreshVerdicts(world.clickhouse);
    const restored = await of(`project = 'shop'`);
    expect([41, 40, 39].map((age) => restored.get(age)?.evaluations)).to.deep.equal([200, 200, 200]);
    expect([30, 12, 11, 10, 6].map((age) => restored.get(age)?.constant_evaluations)).to.deep.equal([
      100, 100, 100, 100, 100,
    ]);
  });

  it('is answered by the API for each day, and for each project and owner', async () => {
    const { body, status } = await world.api.get(
      `/api/admin/metrics/flag-debt?from=${dayBefore(30)}&to=${dayBefore(0)}&project=shop`,
    );
    expect(status).to.equal(200);
    const { days, groups } = body as FlagDebt;
    expect(days).to.have.length(31);
    expect(days[0]).to.deep.equal({
      day: dayBefore(30),
      flags: 3,
      overdueFlags: 1,
      evaluations: 200,
      constantEvaluations: 100,
      isComplete: true,
    });
    expect(days.at(-1)).to.deep.include({ day: dayBefore(0), isComplete: false });
    expect(groups).to.deep.equal([
      {
        project: 'shop',
        owner: 'team',
        flags: 2,
        overdueFlags: 1,
        evaluations: 6201,
        constantEvaluations: 2500,
      },
      {
        project: 'shop',
        owner: null,
        flags: 1,
        overdueFlags: 1,
        evaluations: 0,
        constantEvaluations: 0,
      },
    ]);
    const owned = await world.api.get('/api/admin/metrics/flag-debt?owner=nobody');
    expect(owned.body).to.deep.equal({ days: [], totalGroups: 0, groups: [] });
    expect((await world.api.get('/api/admin/metrics/flag-debt?from=yesterday')).status).to.equal(400);
  });
});
