import { expect } from 'chai';
import { aFeature, sharedAdminWorld, eventTypesOf } from '../../../../support/admin-api/admin.ts';
import { IN_PRODUCTION, stepAsRead } from '../../../../support/admin-api/change-requests.ts';

describe('change requests with variants of a feature', () => {
  const world = sharedAdminWorld();
  before(() => aFeature(world.api, 'tested'));

  const variant = (name: string, weight: number) => ({
    name,
    weight,
    weightType: 'variable',
    stickiness: 'userId',
  });
  const request = (payload: object) =>
    world.api.post(IN_PRODUCTION, { changes: [{ feature: 'tested', action: 'patchVariant', payload }] });

  async function apply(payload: object): Promise<number> {
    const { body } = await request(payload);
    const path = `/api/admin/projects/default/change-requests/${(body as { id: number }).id}`;
    const lead = (state: string) => stepAsRead(world.api, { path, change: { state } });
    for (const state of ['In review', 'Approved']) await lead(state);
    return (await lead('Applied')).status;
  }

  it('replace the variants when they are applied, with one event that has both states', async () => {
    const before = { variants: [variant('blue', 500), variant('red', 500)] };
    const after = { variants: [variant('blue', 900), variant('red', 100)] };
    expect(await apply(before)).to.equal(200);
    expect(await apply(after)).to.equal(200);
    expect(await apply(after)).to.equal(200);
    const { rows } = await world.db.query<{ variants: unknown }>(
      "select variants from feature_environments where feature_name = 'tested' and environment = 'production'",
    );
    expect(rows).to.deep.equal([after]);
    const { body } = await world.api.get('/api/admin/events/tested');
    const { events } = body as { events: { type: string; data: unknown; preData: unknown }[] };
    const updates = events.filter(({ type }) => type === 'feature-environment-variants-updated');
    expect(updates.map(({ data, preData }) => [preData, data])).to.deep.equal([
      [before, after],
      [{ variants: [] }, before],
    ]);
  });

  it('are rejected if the variants are not valid', async () => {
    const types = await eventTypesOf(world.api, 'tested');
    for (const payload of [
      {},
      { variants: [variant('blue', 999)] },
      { variants: [variant('blue', 500), variant('blue', 500)] },
      { variants: [{ name: 'blue', weight: 1000 }] },
    ]) {
      const { status, body } = await request(payload);
      expect(status).to.equal(400);
      expect((body as { message: string }).message).to.match(/^The payload of patchVariant is not valid: /);
    }
    expect(await eventTypesOf(world.api, 'tested')).to.deep.equal(types);
  });
});
