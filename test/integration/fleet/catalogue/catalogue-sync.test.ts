import { expect } from 'chai';
import { syncFeatures, registerApplications } from '#fleet/catalogue';
import { runStatement } from '#core/clickhouse';
import { registrationOf } from '#core/counting';
import { startWorker } from '../../../../services/worker/app.ts';
import { eventually } from '../../../support/eventually.ts';
import { type World, createWorld } from '../../../support/world.ts';

describe('the catalogue sync', () => {
  let world: World;
  beforeEach(async () => {
    world = await createWorld();
  });
  afterEach(() => world.dispose());

  it('stores a feature whose date ClickHouse cannot hold with the nearest possible date', async () => {
    await world.db.query(
      `insert into features (name, project, created_at)
       values ('first', 'default', '1901-02-03Z'), ('last', 'default', '2150-01-01Z'), ('new', 'default', '2026-11-21Z')`,
    );
    await syncFeatures(world.db, world.clickhouse);
    await syncFeatures(world.db, world.clickhouse);
    const stored = await world.query(
      'select name, toString(created_at) as at from feature_copies order by name',
    );
    expect(stored).to.deep.equal([
      { name: 'first', at: '1970-01-01 00:00:00' },
      { name: 'last', at: '2106-02-07 06:28:15' },
      { name: 'new', at: '2026-11-21 00:00:00' },
    ]);
  });

  it('copies owner and tags', async () => {
    await world.db.query(
      `insert into features (name, project, owner, tags)
       values ('owned', 'default', 'Checkout team', '{team:checkout,quarter:q4}'), ('plain', 'default', null, '{}')`,
    );
    await syncFeatures(world.db, world.clickhouse);
    expect(
      await world.query('select feature_name, owner, tags from features order by feature_name'),
    ).to.deep.equal([
      { feature_name: 'owned', owner: 'Checkout team', tags: ['team:checkout', 'quarter:q4'] },
      { feature_name: 'plain', owner: '', tags: [] },
    ]);
  });

  it('of instances continues while the sync of features fails', async () => {
    await runStatement(world.clickhouse, 'drop table feature_copies sync');
    const registration = registrationOf({ appName: 'shop', instanceId: 'one' }, Date.now());
    await registerApplications(world.db, [registration]);
    let failure: unknown;
    await world.run((config, log) =>
      startWorker(config, log, (error) => {
        failure = error;
      }),
    );
    const synced = await eventually(
      () => world.query('select app_name, instance_id from instances'),
      (rows) => rows.length > 0,
    );
    expect(synced).to.deep.equal([{ app_name: 'shop', instance_id: 'one' }]);
    expect(failure).to.equal(undefined);
  });
});
