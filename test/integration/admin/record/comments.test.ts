import { expect } from 'chai';
import { aFeature, sharedAdminWorld } from '../../../support/admin-api/admin.ts';

type Shown = { readonly events: readonly { readonly type: string; readonly comment?: string }[] };

const FEATURE = '/api/admin/projects/shop/features/basket';
const IN_DEVELOPMENT = `${FEATURE}/environments/development`;

/** A call of each operation that changes something at once, in an order in which all succeed. */
const CALLS: readonly (readonly [id: string, method: string, path: string, body?: unknown])[] = [
  ['createProject', 'POST', '/api/admin/projects', { id: 'shop', name: 'Shop' }],
  ['updateProject', 'PUT', '/api/admin/projects/shop', { name: 'The shop' }],
  ['archiveProject', 'POST', '/api/admin/projects/shop/archive'],
  ['reviveProject', 'POST', '/api/admin/projects/shop/revive'],
  ['createFeature', 'POST', '/api/admin/projects/shop/features', { name: 'basket' }],
  ['updateFeature', 'PUT', FEATURE, { description: 'The new basket' }],
  ['enableFeature', 'POST', `${IN_DEVELOPMENT}/on`],
  ['disableFeature', 'POST', `${IN_DEVELOPMENT}/off`],
  ['addFeatureStrategy', 'POST', `${IN_DEVELOPMENT}/strategies`, { name: 'default' }],
  ['updateFeatureStrategy', 'PUT', `${IN_DEVELOPMENT}/strategies/{id}`, { name: 'default', title: 'All' }],
  [
    'sortFeatureStrategies',
    'POST',
    `${IN_DEVELOPMENT}/strategies/set-sort-order`,
    [{ id: '{id}', sortOrder: 7 }],
  ],
  ['removeFeatureStrategy', 'DELETE', `${IN_DEVELOPMENT}/strategies/{id}`],
  ['archiveFeature', 'DELETE', '/api/admin/archive/basket'],
  ['reviveFeature', 'POST', '/api/admin/archive/revive/basket'],
  ['moveFeature', 'POST', `${FEATURE}/changeProject`, { newProjectId: 'default' }],
];

describe('the comment on a change', () => {
  const world = sharedAdminWorld();

  it('is in the event of every operation that takes one', async () => {
    const { api } = world;
    const taking = Object.values(api.document.paths)
      .flatMap((methods) => Object.values(methods))
      .filter(({ parameters }) => parameters.some(({ name }) => name === 'comment'))
      .map(({ operationId }) => operationId);
    expect(CALLS.map(([id]) => id)).to.have.members(taking);
    let strategy = '';
    for (const [id, method, path, body] of CALLS) {
      // One strategy alone has no order.
      if (id === 'sortFeatureStrategies') await api.post(`${IN_DEVELOPMENT}/strategies`, { name: 'default' });
      const comment = encodeURIComponent(`  because of ${id} ✓ `);
      const withId = (text: string) => text.replaceAll('{id}', strategy);
      const answer = await api.call(method, `${withId(path)}?comment=${comment}`, {
        ...(body === undefined ? {} : { body: JSON.parse(withId(JSON.stringify(body))) as unknown }),
      });
      expect(answer.status, id).to.be.within(200, 201);
      if (id === 'addFeatureStrategy') strategy = (answer.body as { id: string }).id;
    }
    const { events } = (await api.get('/api/admin/events')).body as Shown;
    // A move is an event in both projects.
    const comments = new Set(events.flatMap(({ comment }) => comment ?? []).reverse());
    expect([...comments]).to.deep.equal(CALLS.map(([id]) => `because of ${id} ✓`));
  });

  it('is absent without a reason, and refused if it is too long', async () => {
    const { api } = world;
    await aFeature(api, 'terse');
    const path = '/api/admin/projects/default/features/terse/environments/development';
    await api.post(`${path}/on?comment=%20`);
    const { status } = await api.post(`${path}/off?comment=${'x'.repeat(501)}`);
    expect(status).to.equal(400);
    const { events } = (await api.get('/api/admin/events/terse')).body as Shown;
    expect(events.map((event) => 'comment' in event)).to.deep.equal(events.map(() => false));
    expect(events[0]?.type).to.equal('feature-environment-enabled');
  });
});
