import { expect } from 'chai';
import type { Refusals } from '../../../../services/admin/usage/refusals/schema.ts';
import { aUser, sharedCountedAdminWorld } from '../../../support/admin-api/admin.ts';

const PATH = '/api/admin/metrics/refusals';
const DAY_MS = 86_400_000;
/** One moment for all tests, even if they run past midnight. */
const NOW = Date.now();
const TODAY = dayOf(0);
const YESTERDAY = dayOf(-1);
const HOSTILE = `x' or 1=1 --`;

describe('refusals', () => {
  const world = sharedCountedAdminWorld();
  before(async () => {
    await refuse([
      { reason: 'too_old', feature_name: 'a', token_id: 't1', reports: 2, sample: 'timestamp: 1867' },
      { reason: 'too_old', feature_name: 'a', token_id: 't1', reports: 3, sample: 'timestamp: 1866' },
      { reason: 'empty_name', app_name: HOSTILE, token_id: 't2', reports: 9 },
      { reason: 'empty_name', feature_name: 'b', environment: 'development', reports: 1 },
      { reason: 'too_old', feature_name: 'old', day: -1, reports: 100 },
      { reason: 'name_too_long', kind: 'application', app_name: 'older', day: -2 },
    ]);
  });

  it('are listed with a sample, newest days first, and within a day the most frequent first', async () => {
    const refusals = await list('');
    expect(refusals.map(({ day, count }) => [day, count])).to.deep.equal([
      [TODAY, 9],
      [TODAY, 5],
      [TODAY, 1],
      [YESTERDAY, 100],
      [dayOf(-2), 1],
    ]);
    expect(refusals[1]).to.deep.equal({
      day: TODAY,
      kind: 'metric',
      reason: 'too_old',
      tokenId: 't1',
      environment: 'production',
      appName: 'shop',
      featureName: 'a',
      count: 5,
      sample: 'timestamp: 1867',
    });
  });

  const FOUND: readonly (readonly [query: string, counts: readonly number[]])[] = [
    ['reason=too_old', [5, 100]],
    ['token=t1', [5]],
    [`app=${encodeURIComponent(HOSTILE)}`, [9]],
    ['feature=b', [1]],
    ['environment=development', [1]],
    [`from=${TODAY}`, [9, 5, 1]],
    [`to=${YESTERDAY}`, [100, 1]],
    [`from=${YESTERDAY}&to=${YESTERDAY}`, [100]],
    ['reason=too_old&feature=a&token=t1&app=shop&environment=production', [5]],
    ['limit=2', [9, 5]],
    ['feature=nothing-of-this-name', []],
    ['feature=', [9, 5, 1, 100, 1]],
  ];
  for (const [query, counts] of FOUND) {
    it(`are found by ${query}`, async () => {
      expect((await list(query)).map(({ count }) => count)).to.deep.equal(counts);
    });
  }

  for (const wrong of [
    'reason=why',
    'from=2026-02-30',
    'to=today',
    'from=0001-01-01',
    'limit=0',
    'limit=1001',
  ]) {
    it(`are not searched by ${wrong}`, async () => {
      expect((await world.api.get(`${PATH}?${wrong}`)).status).to.equal(400);
    });
  }

  it('may be read by a viewer', async () => {
    const { token } = await aUser(world.api, 'Viewer', 'vera');
    expect((await world.api.get(PATH, { token })).status).to.equal(200);
  });

  async function list(query: string): Promise<Refusals['refusals']> {
    const { status, body } = await world.api.get(`${PATH}?${query}`);
    expect(status).to.equal(200);
    return (body as Refusals).refusals;
  }

  /** One INSERT, as the worker sends it. */
  async function refuse(rows: readonly Record<string, unknown>[]): Promise<void> {
    await world.clickhouse.insert({
      table: 'mixed_block_rows',
      format: 'JSONEachRow',
      values: rows.map(({ day = 0, kind, reason, token_id, sample, ...columns }) => ({
        kind: 'refusal',
        environment: 'production',
        app_name: 'shop',
        feature_name: '',
        hour: `${dayOf(Number(day))} 12:00:00`,
        reports: 1,
        refusal: [
          {
            reason,
            kind: kind ?? 'metric',
            token_id: token_id ?? 't3',
            sample: sample ?? 'featureName: (empty)',
          },
        ],
        ...columns,
      })),
    });
  }
});

/** The day so many days before that moment. */
function dayOf(days: number): string {
  return new Date(NOW + days * DAY_MS).toISOString().slice(0, 10);
}
