import { expect } from 'chai';
import { type AccountingReader, openAccounting } from '#accounting';
import { syncFeatures } from '#catalogue';
import { refreshVerdicts } from '#clickhouse';
import { type LiveEvent, type Sources, startSources } from '../../../../services/admin/live/sources.ts';
import { createLiveSteps } from '../../../../services/admin/live/store.ts';
import { createVerdicts } from '../../../../services/admin/verdicts/store.ts';
import { eventually } from '../../../support/eventually.ts';
import { type World, createWorld } from '../../../support/world.ts';

describe('verdicts among the live events', () => {
  let world: World;
  let accounting: AccountingReader;
  let sources: Sources;
  let readings = 0;
  const events: LiveEvent[] = [];
  before(async () => {
    world = await createWorld();
    accounting = openAccounting(world.config, world.log);
    await evaluate('known-before');
    const verdicts = createVerdicts(world.clickhouse);
    sources = startSources({
      accounting,
      log: world.log,
      verdictsPauseMs: 100,
      publish: (event) => events.push(event),
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
  });
  after(async () => {
    await sources.stop();
    await accounting.close();
    await world.dispose();
  });

  /** A feature whose evaluations began two hours ago, which gives it the verdict `new`. */
  async function evaluate(feature: string): Promise<void> {
    await world.db.query("insert into features (name, project) values ($1, 'default')", [feature]);
    await syncFeatures(world.db, world.clickhouse);
    const hour = (Math.floor(Date.now() / 3_600_000) - 2) * 3600;
    await world.clickhouse.insert({
      table: 'block_rows',
      format: 'JSONEachRow',
      values: [
        {
          ...{ kind: 'count', feature_name: feature, app_name: 'web', environment: 'production' },
          ...{ hour, yes: 1, no: 0, reports: 1 },
        },
      ],
    });
    await refreshVerdicts(world.clickhouse);
  }

  const published = () => events.filter(({ name }) => name === 'verdict').map(({ data }) => data);

  it('are those that begin to hold, once, and not those that held before', async () => {
    await eventually(
      () => Promise.resolve(readings),
      (now) => now > 0,
    );
    await evaluate('fresh');
    await eventually(
      () => Promise.resolve(published()),
      (verdicts) => verdicts.length > 0,
    );
    const before = readings;
    await eventually(
      () => Promise.resolve(readings),
      (now) => now > before + 1,
    );
    expect(published()).to.have.length(1);
    expect(published()[0]).to.include({
      featureName: 'fresh',
      appName: null,
      environment: 'production',
      verdict: 'new',
    });
  });
});
