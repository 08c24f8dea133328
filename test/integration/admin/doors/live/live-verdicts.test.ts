import { expect } from 'chai';
import { type AccountingReader, openAccounting } from '#core/accounting';
import { syncFeatures } from '#fleet/catalogue';
import { refreshVerdicts } from '#core/clickhouse';
import { Registry } from '#base/runtime';
import type { Visible } from '#base/tokens';
import { type Live, createLive } from '../../../../../services/admin/doors/live/live.ts';
import { createLiveSteps } from '../../../../../services/admin/doors/live/store.ts';
import { createVerdicts } from '../../../../../services/admin/advice/verdicts/store.ts';
import { eventually } from '../../../../support/eventually.ts';
import { sharedWorld } from '../../../../support/world.ts';

type Heard = { text: string };

describe('verdicts among the live events', () => {
  const world = sharedWorld();
  let accounting: AccountingReader;
  let live: Live;
  let readings = 0;
  let all: Heard;
  let theirs: Heard;
  before(async () => {
    accounting = openAccounting(world.config, world.log);
    for (const project of ['open', 'secret'])
      await world.db.query('insert into projects (id, name) values ($1, $1)', [project]);
    await evaluate({ 'known-before': 'default' });
    const verdicts = createVerdicts(world.clickhouse);
    live = createLive({
      accounting,
      log: world.log,
      registry: new Registry(),
      verdictsPauseMs: 300,
      stores: {
        liveSteps: createLiveSteps(world.db),
        verdicts: {
          async list(...parameters) {
            const list = await verdicts.list(...parameters);
            readings += 1;
            return list;
          },
        },
      },
    });
    [all, theirs] = [listenTo(undefined), listenTo(['open'])];
  });
  after(async () => {
    live.end();
    await live.stop();
    await accounting.close();
  });

  function listenTo(visible: Visible): Heard {
    const heard = { text: '' };
    const caller = { userId: 1, tokenId: undefined, role: 'None', name: 'olga' } as const;
    const stream = live.listen({ caller, visible, isStillAllowed: () => Promise.resolve(true) });
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard.text += text;
    });
    return heard;
  }

  /** Features of these projects whose evaluations began two hours ago, which gives them the verdict `new`. */
  async function evaluate(projects: Readonly<Record<string, string>>): Promise<void> {
    const features = Object.keys(projects);
    for (const feature of features)
      await world.db.query('insert into features (name, project) values ($1, $2)', [
        feature,
        projects[feature],
      ]);
    await syncFeatures(world.db, world.clickhouse);
    const hour = (Math.floor(Date.now() / 3_600_000) - 2) * 3600;
    await world.clickhouse.insert({
      table: 'block_rows',
      format: 'JSONEachRow',
      values: features.map((feature) => ({
        kind: 'count',
        feature_name: feature,
        app_name: 'web',
        environment: 'production',
        hour,
        yes: 1,
        no: 0,
        reports: 1,
      })),
    });
    await refreshVerdicts(world.clickhouse);
  }

  const published = () =>
    [...all.text.matchAll(/^event: verdict\ndata: (.+)$/gm)].map(
      ([, data = '']) => JSON.parse(data) as Readonly<Record<string, unknown>>,
    );

  const untilHeard = (heard: Heard, name: string) =>
    eventually(
      () => Promise.resolve(heard.text),
      (text) => text.includes(name),
    );

  const untilRead = async (times: number) => {
    const before = readings;
    await eventually(
      () => Promise.resolve(readings),
      (now) => now >= before + times,
    );
  };

  it('are those that begin to hold, once, and not those that held before', async () => {
    await untilRead(1);
    await evaluate({ fresh: 'default', 'secret-flag': 'secret', 'open-flag': 'open' });
    for (const feature of ['fresh', 'secret-flag', 'open-flag']) await untilHeard(all, feature);
    await untilRead(2);
    expect(published()).to.have.length(3);
    expect(published().find(({ featureName }) => featureName === 'fresh')).to.include({
      featureName: 'fresh',
      appName: null,
      environment: 'production',
      verdict: 'new',
    });
  });

  it('reach only listeners who see the project of the feature', async () => {
    await untilHeard(theirs, 'open-flag');
    expect(theirs.text)
      .not.to.include('secret')
      .and.not.to.include('fresh')
      .and.not.to.include('event: counts');
  });
});
