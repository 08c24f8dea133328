import { expect } from 'chai';
import { eventually } from '../../../support/eventually.ts';
import { refreshVerdicts } from '#core/clickhouse';
import { startAdmin } from '../../../../services/admin/app.ts';
import { sharedCountedAdminWorld, openApi } from '../../../support/admin-api/admin.ts';
import { createHistory, untilHistoryLasts } from '../../../support/builders/history.ts';

type Verdict = {
  readonly featureName: string | null;
  readonly appName: string | null;
  readonly environment: string;
  readonly verdict: string;
  readonly evaluations: number | null;
  readonly value: number;
  readonly threshold: number;
  readonly subject: string | null;
  readonly sentence: string;
};

const PATH = '/api/admin/metrics/verdicts';
const LONG_AGO = { first: 100 * 24, last: 1 };

describe('verdicts', () => {
  const world = sharedCountedAdminWorld();
  before(async () => {
    await untilHistoryLasts();
    const history = createHistory();
    for (const feature of ['hot', 'hotter', 'quiet']) {
      history.exists(feature);
      history.seen(feature, LONG_AGO);
    }
    history.evaluated({ feature: 'hot', daysAgo: 2, yes: 2000 });
    history.evaluated({ feature: 'hotter', daysAgo: 2, no: 3000 });
    history.evaluated({ feature: 'quiet', daysAgo: 2, yes: 500 });
    history.seen('quite', LONG_AGO);
    history.refused({ app: 'late', reason: 'too_old', count: 11, daysAgo: 2 });
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
  });

  async function list(query = ''): Promise<Verdict[]> {
    // Other thresholds make ClickHouse compute all verdicts again, which may exceed its deadline on a busy machine.
    const { status, body } = await eventually(
      () => world.api.get(`${PATH}${query}`),
      (answer) => answer.status !== 503,
    );
    expect(status, query).to.equal(200);
    return (body as { verdicts: Verdict[] }).verdicts;
  }

  async function shortList(query = ''): Promise<string[]> {
    return (await list(query)).map(
      ({ featureName, appName, verdict }) => `${verdict} ${featureName ?? appName}`,
    );
  }

  it('are listed for features, the most evaluated first, and for applications', async () => {
    expect(await shortList()).to.deep.equal([
      'always_off hotter',
      'archive_evidence hotter',
      'always_on hot',
      'archive_evidence hot',
      'unknown quite',
      'clock_skew late',
    ]);
  });

  it('explain the reason and the measurement', async () => {
    const [verdict] = await list('?verdict=unknown');
    expect(verdict).to.deep.include({
      featureName: 'quite',
      appName: null,
      environment: 'production',
      evaluations: 0,
      subject: 'quiet',
    });
    expect(verdict?.sentence).to.match(/perhaps quiet is meant\.$/);
    const [skew] = await list('?verdict=clock_skew');
    expect(skew).to.deep.include({
      appName: 'late',
      value: 11,
      threshold: 10,
      subject: null,
      evaluations: null,
    });
  });

  it('are filtered by feature, environment and verdict, and limited', async () => {
    expect(await shortList('?feature=hot')).to.deep.equal(['always_on hot', 'archive_evidence hot']);
    expect(await shortList('?environment=development')).to.deep.equal([]);
    expect(await shortList('?environment=production&verdict=always_off')).to.deep.equal([
      'always_off hotter',
    ]);
    expect(await shortList('?limit=1')).to.deep.equal(['always_off hotter']);
    expect(await shortList('?feature=hot&verdict=clock_skew')).to.deep.equal([]);
    expect(await shortList(`?feature=${encodeURIComponent("' or 1 = 1 --")}`)).to.deep.equal([]);
  });

  it('have thresholds as parameters', async () => {
    expect(await shortList('?verdict=always_on&constantEvaluations=499')).to.deep.equal([
      'always_on hot',
      'always_on quiet',
    ]);
    expect(await shortList('?verdict=always_on&constantDays=1')).to.deep.equal([]);
    expect(await shortList('?verdict=clock_skew&skewMetrics=11')).to.deep.equal([]);
    expect(await list('?cliffShare=0.25&driftIndex=0')).to.have.length(6);
  });

  it('are rejected with invalid parameters', async () => {
    for (const query of [
      'limit=0',
      'limit=1001',
      'verdict=good',
      'constantDays=0',
      'constantDays=91',
      'silentDays=x',
      'cliffShare=1.1',
      'cliffShare=-1',
      'cliffShare=1e-1',
      'driftIndex=x',
      'silentIntervals=1.5',
    ])
      expect((await world.api.get(`${PATH}?${query}`)).status, query).to.equal(400);
  });

  it('on a feature are part of its usage', async () => {
    const { body } = await world.api.get('/api/admin/client-metrics/features/hot');
    const { verdicts } = body as { verdicts: Verdict[] };
    expect(verdicts.map(({ verdict, environment }) => `${verdict} ${environment}`)).to.deep.equal([
      'always_on production',
      'archive_evidence production',
    ]);
  });

  it('are unavailable without ClickHouse', async () => {
    const clickhouse = { ...world.config.clickhouse, url: 'http://127.0.0.1:1' };
    const { url } = await world.run((config, log) => startAdmin({ ...config, clickhouse }, log));
    const answer = await (await openApi(url)).get(PATH);
    expect(answer.status).to.equal(503);
    expect(answer.body).to.include({ name: 'ServiceUnavailable' });
  });
});
