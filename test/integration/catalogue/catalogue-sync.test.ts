import { expect } from 'chai';
import { copyFeatures, registerApplications } from '#catalogue';
import { runStatement } from '#clickhouse';
import { startWorker } from '../../../services/worker/app.ts';
import { eventually } from '../../support/eventually.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('copies for analysts', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.dispose());

  it('take a feature whose date ClickHouse cannot hold with the nearest that it can, beside all others', async () => {
    await world.db.query(
      `insert into features (name, project, created_at)
       values ('first', 'default', '1901-02-03Z'), ('last', 'default', '2150-01-01Z'), ('new', 'default', '2026-11-21Z')`,
    );
    await copyFeatures(world.db, world.clickhouse);
    await copyFeatures(world.db, world.clickhouse);
    const copies = await world.query(
      'select name, toString(created_at) as at from feature_copies order by name',
    );
    expect(copies).to.deep.equal([
      { name: 'first', at: '1970-01-01 00:00:00' },
      { name: 'last', at: '2106-02-07 06:28:15' },
      { name: 'new', at: '2026-11-21 00:00:00' },
    ]);
  });

  it('of instances go on while those of features fail', async () => {
    await runStatement(world.clickhouse, 'drop table feature_copies sync');
    await registerApplications(world.db, [
      {
        appName: 'shop',
        environment: 'production',
        instanceId: 'one',
        sdkVersion: undefined,
        sdkType: undefined,
        intervalMs: undefined,
        strategies: [],
        projects: [],
        seenAt: Date.now(),
      },
    ]);
    let failure: unknown;
    await world.run((config, log) =>
      startWorker(config, log, (error) => {
        failure = error;
      }),
    );
    const copied = await eventually(
      () => world.query('select app_name, instance_id from instances'),
      (rows) => rows.length > 0,
    );
    expect(copied).to.deep.equal([{ app_name: 'shop', instance_id: 'one' }]);
    expect(failure).to.equal(undefined);
  });
});
