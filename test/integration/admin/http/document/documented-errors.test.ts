import { expect } from 'chai';
import {
  type AdminWorld,
  type ExampleCall,
  NOTHING,
  aUser,
  createAdminWorld,
  exampleCalls,
  versionIn,
} from '../../../../support/admin-api/admin.ts';
import { WITHOUT_POSTGRES } from '../../../../support/admin-api/without-postgres.ts';
import { someByDay } from '../../../../support/nightly.ts';

/** Operations that accept every name of a feature or id of a user, unless nothing can have that name. */
const OF_ANY_NAME = [
  'deleteSessionsOfUser',
  'getCodeReferencesOfFeature',
  'getFeatureImpact',
  'getFeatureUsage',
  'getFeatureUsageByHour',
  'getImpactSeries',
  'listSessionsOfUser',
  'putRole',
];
/** Operations on the caller's own tokens. They answer 404 only after the caller was deleted: see tokens.test.ts. And one that answers
    404 for projects that its caller may not see: see access/operations.test.ts. */
const OF_CALLER = ['takeOverPersonalToken', 'listPersonalTokens', 'createPersonalToken', 'createApiToken'];

// callers.test.ts tests every operation for 401, 403, 413, 415, and 400 for invalid JSON. outage.test.ts tests 503.
describe('documented errors of the admin API', () => {
  let world: AdminWorld;
  let admin: string;
  before(async () => {
    world = await createAdminWorld({ SECRETS_KEY: Buffer.alloc(32).toString('base64') });
    admin = (await aUser(world.api, 'Admin', 'ada')).token;
  });

  function callsThatMayAnswer(status: number): ExampleCall[] {
    return exampleCalls(world.api).filter(({ statuses }) => statuses.includes(status));
  }

  it('are 400 for a body that does not match the schema', async () => {
    for (const { id, method, path } of someByDay(callsThatMayAnswer(415), 1 / 3)) {
      // Every member of a rotation has a default.
      for (const body of id === 'rotateApiToken' ? [[], 'x', 7] : [[], {}, 'x', 7]) {
        const answer = await world.api.call(method, path, { body, token: admin });
        expect(answer.body, `${id} ${JSON.stringify(body)}`).to.include({ name: 'ValidationError' });
      }
    }
  });

  it('are 404 for things that do not exist', async () => {
    for (const call of someByDay(callsThatMayAnswer(404), 1 / 3)) {
      const { id, method, path, body } = call;
      if (OF_CALLER.includes(id)) continue;
      const place = OF_ANY_NAME.includes(id) ? path.replace(NOTHING, 'a%00b') : path;
      const answer = await world.api.call(method, place, { body, token: admin, headers: versionIn(call) });
      expect(answer.status, id).to.equal(404);
      expect(answer.body, id).to.include({ name: 'NotFoundError' });
    }
  });

  it('are 409 for something that already exists', async () => {
    // Those that create nothing answer 409 for what Unleash owns: owned-by-unleash.test.ts tests them. Those of tokens of a person answer
    // it for people of the identity provider: taking-over.test.ts.
    const calls = callsThatMayAnswer(409).filter(
      ({ id, statuses }) =>
        statuses.includes(201) && id !== 'rotateApiToken' && !id.includes('PersonalToken'),
    );
    expect(calls).to.have.length(5);
    for (const { id, method, path, body } of calls) {
      const place = path.replace(NOTHING, 'default');
      expect((await world.api.call(method, place, { body })).status, id).to.equal(201);
      const again = await world.api.call(method, place, { body });
      expect(again.status, id).to.equal(409);
      expect(again.body, id).to.include({ name: 'NameExistsError' });
    }
  });

  it('are 500 without details if our tables are broken', async () => {
    const { api, db } = world;
    expect((await api.get('/api/admin/strategies', { token: admin })).status).to.equal(200);
    await db.query('alter schema public rename to elsewhere');
    try {
      for (const call of someByDay(callsThatMayAnswer(500), 1 / 3)) {
        const { id, method, path, body } = call;
        if (WITHOUT_POSTGRES.includes(id)) continue; // they read ClickHouse first, whose failures are 503
        const answer = await api.call(method, path, { body, token: admin, headers: versionIn(call) });
        expect(answer.status, id).to.equal(500);
        expect(answer.body, id).to.include({
          name: 'InternalError',
          message: 'Internal error.',
        });
        expect(answer.body, id).to.have.all.keys('id', 'name', 'message');
      }
    } finally {
      await db.query('alter schema elsewhere rename to public');
    }
  });
});
