import { expect } from 'chai';
import { aFeature, runAdmin, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';

describe('a feature that was configured while the clock was a day ahead', () => {
  const world = sharedAdminWorld();

  it('is watched by its guards from now on, and its history ends now', async () => {
    const { api, db } = world;
    await aFeature(api, 'ahead');
    for (const step of ['on', 'off', 'on'])
      await api.post(`/api/admin/projects/default/features/ahead/environments/production/${step}`);
    await db.query(`
      update feature_environments set changed_at = changed_at + interval '1 day' where feature_name = 'ahead';
      update past_configurations
      set valid_from = valid_from + interval '1 day', valid_to = valid_to + interval '1 day', revision = gen_random_uuid()
      where feature_name = 'ahead'`);
    await runAdmin(world, {});
    await eventually(
      () => db.query(`select from feature_environments where feature_name = 'ahead' and changed_at <= now()`),
      ({ rowCount }) => rowCount === 1,
    );
    const { rows } = await db.query(
      `select bool_and(valid_from <= valid_to and valid_to <= now()) as "isPast", max(valid_to) = min(c.changed_at) as follows
       from past_configurations
       join feature_environments as c using (feature_name, environment)
       where feature_name = 'ahead'`,
    );
    expect(rows).to.deep.equal([{ isPast: true, follows: true }]);
  });
});
