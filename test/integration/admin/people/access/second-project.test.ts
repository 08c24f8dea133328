import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createTokens } from '#base/auth';
import {
  type Where,
  aTokenOf,
  comparable,
  fillProject,
  idsIn,
  pathTo,
  templateOf,
} from '../../../../support/admin-api/places.ts';
import { observeCleanUps } from '../../../../../services/admin/advice/clean-ups/store/observe.ts';
import { stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { someByDay } from '../../../../support/nightly.ts';
import { IN_A_MONTH } from '../../../../support/times.ts';
import {
  type AdminWorld,
  type Answer,
  aFeature,
  aUser,
  createAdminWorld,
  exampleCalls,
  versionIn,
} from '../../../../support/admin-api/admin.ts';

/** Requests that name a thing of their own project, and a second thing in the body or later in the path. */
type Request = { readonly method: string; readonly path: string; readonly body?: unknown };

const enable = (feature: string) => ({ feature, action: 'updateEnabled', payload: { enabled: true } });
const IN_PRODUCTION = '/api/admin/projects/own/environments/production/change-requests';

const REQUESTS: Readonly<Record<string, (world: AdminWorld, second: Where) => Promise<Request>>> = {
  'a move to the project': (_, second) =>
    Promise.resolve({
      method: 'POST',
      path: '/api/admin/projects/own/features/own-flag/changeProject',
      body: { newProjectId: second },
    }),
  'a change request for a feature of the project': (_, second) =>
    Promise.resolve({
      method: 'POST',
      path: IN_PRODUCTION,
      body: { changes: [enable(`${second}-flag`)] },
    }),
  'a change request for features of both projects': (_, second) =>
    Promise.resolve({
      method: 'POST',
      path: IN_PRODUCTION,
      body: { changes: [enable('own-flag'), enable(`${second}-flag`)] },
    }),
  'an edit of a change of the project': async (world, second) => ({
    method: 'PUT',
    path: await changeIn(world, second),
    body: { action: 'archiveFeature' },
  }),
  'the removal of a change of the project': async (world, second) => ({
    method: 'DELETE',
    path: await changeIn(world, second),
  }),
  'a token for both projects': (_, second) =>
    Promise.resolve({
      method: 'POST',
      path: '/api/admin/api-tokens',
      body: { tokenName: 'edge', type: 'client', environment: 'production', projects: ['own', second] },
    }),
  'the end of a token of both projects': async (world, second) => ({
    method: 'DELETE',
    path: `/api/admin/api-tokens/${await aTokenOf(world, ['own', second])}`,
  }),
};

/** With the change request of the own project. */
async function changeIn(world: AdminWorld, second: Where): Promise<string> {
  const [{ request }, { change }] = [await idsIn(world, 'own'), await idsIn(world, second)];
  return `/api/admin/projects/own/change-requests/${request}/changes/${change}`;
}

describe('operations that name a second project', function () {
  this.timeout(600_000);
  let world: AdminWorld;
  let callers: Record<string, string>;
  let filled: unknown;
  before(async () => {
    world = await createAdminWorld();
    const { api } = world;
    for (const id of ['own', 'other']) await api.post('/api/admin/projects', { id, name: id });
    callers = { 'an Owner': await anOwner(world), 'an ADMIN token of the project': await aTokenOfOwn(world) };
    for (const project of ['own', 'other']) await fillProject(world, project);
    // A change request of the caller, who may edit it.
    await api.post(IN_PRODUCTION, { changes: [enable('own-flag')] }, { token: callers['an Owner'] ?? '' });
    filled = await rowsOfOther(world);
  });
  after(() => world.dispose());

  const ask = ({ method, path, body }: Request, token: string, headers = {}): Promise<Answer> =>
    world.api.call(method, path, { token, body, headers });

  it('answer as if its things did not exist, if the path has the own project', async () => {
    const twice = exampleCalls(world.api).filter(({ id }) =>
      /\{projectId\}.*\{(featureName|id)\}/.test(templateOf(world.api, id)),
    );
    expect(twice).to.have.length.above(20);
    for (const example of someByDay(twice, 1 / 3))
      for (const [name, token] of Object.entries(callers)) {
        const at = async (things: Where): Promise<Answer> => {
          const path = await pathTo(world, example.id, { project: 'own', things });
          return ask({ ...example, path }, token, versionIn(example));
        };
        const [theirs, nobodys] = [await at('other'), await at('nowhere')];
        expect(theirs.status, `${example.id} by ${name}`).to.be.oneOf([400, 404]);
        expect(comparable(theirs), `${example.id} by ${name}`).to.deep.equal(comparable(nobodys));
      }
  });

  for (const [title, requestOf] of Object.entries(REQUESTS))
    it(`answer as if it did not exist: ${title}`, async () => {
      for (const token of Object.values(callers)) {
        const theirs = await ask(await requestOf(world, 'other'), token);
        const nobodys = await ask(await requestOf(world, 'nowhere'), token);
        expect(theirs.status).to.be.oneOf([400, 404]);
        expect(comparable(theirs)).to.deep.equal(comparable(nobodys));
      }
    });

  it('have changed nothing in it', async () => {
    expect(await rowsOfOther(world)).to.deep.equal(filled);
  });

  it('say nothing of a feature that has left the project, nor of its change request to those who have it now', async () => {
    const { api, db } = world;
    await aFeature(api, 'moved', 'own');
    await db.query("insert into clean_ups (feature_name, stage) values ('moved', 'removal')");
    const changes = [{ feature: 'moved', action: 'archiveFeature' }];
    const { body } = await api.post(IN_PRODUCTION, { changes });
    const path = `/api/admin/projects/own/change-requests/${(body as { id: number }).id}`;
    const later = { state: 'Scheduled', scheduledAt: IN_A_MONTH };
    for (const change of [{ state: 'In review' }, { state: 'Approved' }, later])
      expect((await stepAsRead(api, { path, change })).status, change.state).to.equal(200);
    await observeCleanUps(db);
    const card = async () => (await api.get('/api/admin/clean-ups?feature=moved')).body;
    expect(await card())
      .to.have.nested.property('cleanUps[0].changeRequestId')
      .that.is.a('number');
    await api.post('/api/admin/projects/own/features/moved/changeProject', { newProjectId: 'other' });
    await observeCleanUps(db);
    expect(await card()).to.have.nested.property('cleanUps[0].changeRequestId', null);
    expect((await api.delete('/api/admin/archive/moved')).status).to.equal(200);
    const { body: request } = await api.get(path, { token: callers['an Owner'] ?? '' });
    expect(request).to.have.nested.property('schedule.status', 'pending');
  });
});

async function anOwner({ api }: AdminWorld): Promise<string> {
  const { token } = await aUser(api, 'None', 'olga');
  await api.post('/api/admin/projects/own/access', { user: 'olga', role: 'Owner' });
  return token;
}

async function aTokenOfOwn({ db }: AdminWorld): Promise<string> {
  const secret = `[]:*.${randomUUID().replaceAll('-', '')}`;
  const token = { secret, name: 'deploy', type: 'admin', environment: '*', projects: ['own'] } as const;
  await createTokens(db).create({ ...token, expiresAt: undefined });
  return secret;
}

/** What the other project has, apart from tokens of both projects, which the requests need. */
async function rowsOfOther({ db }: AdminWorld): Promise<unknown> {
  const { rows } = await db.query(`
    select
      (select json_agg(f) from features as f where project = 'other') as features,
      (select json_agg(e) from feature_environments as e where feature_name = 'other-flag') as environments,
      (select json_agg(v) from favorite_features as v where feature = 'other-flag') as favourites,
      (select json_agg(r) from change_requests as r where project = 'other') as requests,
      (
        select json_agg(c)
        from change_request_events as c
        join change_requests as r on r.id = c.change_request_id
        where r.project = 'other' or c.feature = 'other-flag'
      ) as changes,
      (select json_agg(s) from change_request_settings as s where project = 'other') as settings,
      (select json_agg(v) from verdicts as v where subject = 'other-flag') as verdicts,
      (select json_agg(c) from clean_ups as c where feature_name = 'other-flag') as clean_ups,
      (select json_agg(p) from project_roles as p where project = 'other') as roles,
      (select json_agg(t) from api_tokens as t where revoked_at is not null) as revoked,
      (select json_agg(e) from events as e where project = 'other' or feature_name = 'other-flag') as events`);
  return rows;
}
