import { expect } from 'chai';
import { sharedAdminWorld, exampleCalls } from '../../../support/admin-api/admin.ts';

/** The operations that compare If-Match with a version. All others must reject the header. */
const COMPARING = [
  'addFeatureStrategy',
  'archiveFeature',
  'archiveProject',
  'changeChangeRequestState',
  'discardChangeRequest',
  'disableFeature',
  'editChange',
  'enableFeature',
  'moveFeature',
  'removeChange',
  'removeFeatureStrategy',
  'renameChangeRequest',
  'reviveFeature',
  'reviveProject',
  'sortFeatureStrategies',
  'updateFeature',
  'updateFeatureStrategy',
  'updateProject',
  'updateStrategy',
];

describe('preconditions of the admin API', () => {
  const world = sharedAdminWorld();

  it('are documented for exactly the operations that compare If-Match', () => {
    const { api } = world;
    const documented = exampleCalls(api).filter(({ headers }) => headers.includes('If-Match'));
    expect(documented.map(({ id }) => id)).to.have.members(COMPARING);
  });

  it('are never ignored: If-Match is 400 for every operation that does not compare it', async () => {
    const { api } = world;
    let tried = 0;
    for (const { id, method, path, body, headers } of exampleCalls(api)) {
      if (headers.includes('If-Match')) continue;
      for (const value of ['"7"', '*', 'W/"7"', '']) {
        const answer = await api.call(method, path, { body, headers: { 'if-match': value } });
        expect(answer.status, `${id} ${value}`).to.equal(400);
        expect((answer.body as { message: string }).message, id).to.match(/does not compare If-Match/);
      }
      tried += 1;
    }
    expect(tried).to.be.greaterThan(50);
  });

  it('are never ignored: If-None-Match is 400 for every write', async () => {
    const { api } = world;
    for (const { id, method, path, body } of exampleCalls(api)) {
      if (method === 'GET') continue;
      const answer = await api.call(method, path, { body, headers: { 'if-none-match': '*' } });
      expect(answer.status, id).to.equal(400);
      expect((answer.body as { message: string }).message, id).to.match(/If-None-Match/);
    }
  });

  it('are rejected if they have no form of this API, wherever they are compared', async () => {
    const { api } = world;
    for (const { id, method, path, body, headers } of exampleCalls(api)) {
      if (!headers.includes('If-Match')) continue;
      const answer = await api.call(method, path, { body, headers: { 'if-match': 'seven' } });
      expect(answer.status, id).to.equal(400);
      expect((answer.body as { message: string }).message, id).to.match(/If-Match is not valid/);
    }
  });
});
