import { expect } from 'chai';
import { aFeature, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';

const STRATEGIES = '/api/admin/projects/default/features/imported/environments/production/strategies';

describe('strategies that were imported without an id', () => {
  const world = sharedAdminWorld();
  before(async () => {
    await aFeature(world.api, 'imported');
    await world.db.query(
      `insert into feature_environments (feature_name, environment, strategies)
       values ('imported', 'production', '[{"name": "default"}, {"name": "default", "id": null}]')`,
    );
  });

  const listed = async () => (await world.api.get(STRATEGIES)).body as { id: string; name: string }[];

  it('get different ids, which stay the same, so that they can be changed and removed', async () => {
    const [first = '', second = ''] = (await listed()).map(({ id }) => id);
    expect(first).not.to.equal(second);
    const changed = await world.api.put(`${STRATEGIES}/${first}`, { name: 'flexibleRollout' });
    expect(changed.status).to.equal(200);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([first, second]);
    expect((await world.api.delete(`${STRATEGIES}/${second}`)).status).to.equal(200);
    expect((await listed()).map(({ id, name }) => [id, name])).to.deep.equal([[first, 'flexibleRollout']]);
  });
});
