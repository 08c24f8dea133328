import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import {
  type Answer,
  aFeature,
  aUser,
  sharedAdminWorld,
  eventTypesOf,
} from '../../../../support/admin-api/admin.ts';
import {
  type Step,
  ENABLE,
  IN_PRODUCTION,
  REQUESTS,
  stepAsRead,
} from '../../../../support/admin-api/change-requests.ts';
import { eventually } from '../../../../support/eventually.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';

type Named = { id: number; username: string };

type Shown = {
  id: number;
  state: string;
  approvals: unknown[];
  features: {
    name: string;
    changes: { id: number; action: string; createdAt: string; createdBy: Named }[];
  }[];
  stateTimestamps: Record<string, string>;
  schedule?: { status: string; reason?: string };
  createdBy: Named;
  comments: { text: string; createdBy: Named }[];
};

function shown({ body }: Answer): Shown {
  return body as Shown;
}

describe('change requests', () => {
  const world = sharedAdminWorld();
  let ana: { id: number; token: string };
  let ben: { id: number; token: string };
  let cleo: { id: number; token: string };
  let viewer: string;
  before(async () => {
    ana = await aUser(world.api, 'Editor', 'ana');
    ben = await aUser(world.api, 'Editor', 'ben');
    cleo = await aUser(world.api, 'Editor', 'cleo');
    viewer = (await aUser(world.api, 'Viewer', 'vera')).token;
    await aFeature(world.api, 'f');
  });

  async function aDraft(changes: unknown[] = [ENABLE], token = ana.token): Promise<Shown> {
    const answer = await world.api.post(IN_PRODUCTION, { changes }, { token });
    expect(answer.status).to.equal(200);
    return shown(answer);
  }

  function lead(id: number, state: string | Step['change'], token: string): Promise<Answer> {
    const change = typeof state === 'string' ? { state } : state;
    return stepAsRead(world.api, { path: `${REQUESTS}/${id}`, change, token });
  }

  async function anApproved(changes: unknown[] = [ENABLE]): Promise<Shown> {
    const { id } = await aDraft(changes);
    await lead(id, 'In review', ana.token);
    const approved = shown(await lead(id, 'Approved', ben.token));
    expect(approved.state).to.equal('Approved');
    return approved;
  }

  it('go from draft to applied, and make their changes', async () => {
    const { api } = world;
    const draft = await aDraft();
    expect(draft).to.include({
      state: 'Draft',
      project: 'default',
      environment: 'production',
      minApprovals: 1,
    });
    expect(draft.createdBy).to.deep.equal({ id: ana.id, username: 'ana', imageUrl: null });
    expect(draft.approvals).to.deep.equal([]);
    const { id } = draft;
    expect((await api.get(`${REQUESTS}/${id}`, { token: ben.token })).status).to.equal(404);
    await lead(id, { state: 'In review', comment: 'please' }, ana.token);
    expect((await lead(id, 'Approved', ana.token)).body).to.include({ name: 'NoAccessError' });
    expect((await lead(id, 'Approved', viewer)).status).to.equal(403);
    expect((await lead(id, 'Applied', ana.token)).body).to.include({ name: 'ValidationError' });
    expect(shown(await lead(id, 'Approved', ben.token)).approvals).to.have.length(1);
    const applied = shown(await lead(id, 'Applied', ana.token));
    expect(applied.state).to.equal('Applied');
    expect(Object.keys(applied.stateTimestamps)).to.have.members([
      'Draft',
      'In review',
      'Approved',
      'Applied',
    ]);
    expect(applied.comments.map(({ text }) => text)).to.deep.equal(['please']);
    expect((await api.get(`${REQUESTS}/${id}`, { token: viewer })).body).to.deep.equal(applied);
    const { body } = await api.get('/api/admin/projects/default/features/f');
    expect((body as { environments: unknown[] }).environments).to.deep.include({
      name: 'production',
      enabled: true,
      lastSeenAt: null,
    });
    const rows = await world.db.query<{ type: string }>(
      `select type from events where group_type = 'change-request' and group_id = $1 order by id`,
      [String(id)],
    );
    expect(rows.rows.map(({ type }) => type)).to.deep.equal([
      'change-request-created',
      'change-added',
      'change-request-sent-to-review',
      'change-request-approval-added',
      'change-request-approved',
      'feature-environment-enabled',
      'change-request-applied',
    ]);
  });

  it('are not found in another project, by an unknown id, or without an id', async () => {
    const { api } = world;
    const { id } = await anApproved();
    await api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
    for (const path of [
      `/api/admin/projects/shop/change-requests/${id}`,
      `/api/admin/projects/nowhere/change-requests/${id}`,
      ...['0', '-1', 'x', '1.5', '1e1', '99999999', '99999999999999', `0${id}`, '%00', '..%2f'].map(
        (text) => `${REQUESTS}/${text}`,
      ),
    ]) {
      expect((await api.get(path)).body, path).to.include({ name: 'NotFoundError' });
    }
    await lead(id, 'Cancelled', ana.token);
  });

  it('count concurrent approvals', async () => {
    const { api } = world;
    const config = { requiredApprovals: 2 };
    expect((await api.put(`${IN_PRODUCTION}/config`, config)).status).to.equal(200);
    expect((await api.put(`${IN_PRODUCTION}/config`, { ...config, minApprovals: 3 })).status).to.equal(400);
    const { id } = await aDraft();
    await lead(id, 'In review', ana.token);
    const answers = await Promise.all(
      [ben, cleo, ben, cleo, ben].map(({ token }) => lead(id, 'Approved', token)),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(2);
    const after = shown(await api.get(`${REQUESTS}/${id}`));
    expect(after.state).to.equal('Approved');
    expect(after.approvals).to.have.length(2);
    await api.put(`${IN_PRODUCTION}/config`, { requiredApprovals: 1 });
    await lead(id, 'Applied', ben.token);
  });

  it('are applied once when they are due, with two services running', async () => {
    await world.run(startAdmin);
    await aFeature(world.api, 'timed');
    const { id } = await anApproved([{ feature: 'timed', action: 'archiveFeature' }]);
    expect((await lead(id, 'Scheduled', ben.token)).status).to.equal(400);
    const past = { state: 'Scheduled', scheduledAt: '2020-01-01T00:00:00Z' };
    expect((await lead(id, past, ben.token)).status).to.equal(400);
    const scheduledAt = new Date(Date.now() + 8000).toISOString();
    const scheduled = shown(await lead(id, { state: 'Scheduled', scheduledAt }, ben.token));
    expect(scheduled.schedule).to.deep.equal({ status: 'pending', scheduledAt });
    const look = async () => shown(await world.api.get(`${REQUESTS}/${id}`));
    const applied = await eventually(look, ({ state }) => state === 'Applied');
    expect(applied.schedule).to.equal(undefined);
    expect(await eventTypesOf(world.api, 'timed')).to.deep.equal([
      'feature-created',
      'change-added',
      'feature-archived',
    ]);
    const { rows } = await world.db.query<{ count: string }>(
      `select count(*) from events where type like '%application-success' and group_id = $1`,
      [String(id)],
    );
    expect(rows[0]?.count).to.equal('1');
  });

  it('are suspended when one of their features is archived, and can then be rejected', async () => {
    await aFeature(world.api, 'doomed');
    const { id } = await anApproved([
      { feature: 'doomed', action: 'updateEnabled', payload: { enabled: true } },
    ]);
    await lead(id, { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' }, ben.token);
    await world.api.delete('/api/admin/archive/doomed');
    const suspended = shown(await world.api.get(`${REQUESTS}/${id}`));
    expect(suspended.schedule).to.include({
      status: 'suspended',
      reason: 'The feature doomed was archived.',
    });
    expect((await lead(id, 'Applied', ben.token)).status).to.equal(400);
    const again = await lead(id, { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' }, ben.token);
    expect(again.status).to.equal(400);
    expect(again.body).to.have.property('message').that.includes('doomed is archived');
    expect(shown(await lead(id, 'Rejected', ben.token)).state).to.equal('Rejected');
  });

  it('are marked failed if they cannot be applied when due', async () => {
    await aFeature(world.api, 'gone');
    const { id } = await anApproved([
      { feature: 'gone', action: 'updateEnabled', payload: { enabled: true } },
    ]);
    await lead(id, { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' }, ben.token);
    await world.db.query(`update features set archived_at = now() where name = 'gone'`);
    await world.db.query(
      'update change_request_schedule set scheduled_at = now() where change_request = $1',
      [id],
    );
    const look = async () => shown(await world.api.get(`${REQUESTS}/${id}`));
    const failed = await eventually(look, ({ schedule }) => schedule?.status !== 'pending');
    expect(failed.schedule).to.include({ status: 'failed', reason: 'The feature gone is archived.' });
  });

  it('are listed without the drafts of others, and editors can comment on them', async () => {
    const { api } = world;
    const draft = await aDraft([ENABLE], cleo.token);
    const listed = async (token: string) => (await api.get(REQUESTS, { token })).body as Shown[];
    expect((await listed(cleo.token)).map(({ id }) => id)).to.include(draft.id);
    expect((await listed(ben.token)).map(({ id }) => id)).not.to.include(draft.id);
    await lead(draft.id, 'In review', cleo.token);
    const path = `${REQUESTS}/${draft.id}/comments`;
    const commented = await api.post(path, { text: 'hm' }, { token: ben.token });
    expect(shown(commented).comments.map(({ text }) => text)).to.deep.equal(['hm']);
    expect((await api.post(path, { text: 'hm' }, { token: viewer })).status).to.equal(403);
    expect((await api.post(path, { text: '' }, { token: ben.token })).status).to.equal(400);
  });

  it('by an ADMIN token name this token everywhere', async () => {
    const draft = await aDraft([ENABLE], ADMIN_TOKEN);
    const path = `${REQUESTS}/${draft.id}/comments`;
    const commented = await world.api.post(path, { text: 'hm' }, { token: ADMIN_TOKEN });

    const { createdBy, features, comments } = shown(commented);
    const changes = features.flatMap((feature) => feature.changes);
    const names = [
      createdBy,
      ...changes.map((one) => one.createdBy),
      ...comments.map((one) => one.createdBy),
    ];
    expect(names.map(({ username }) => username)).to.deep.equal(names.map(() => 'initial admin'));
    expect(names).to.have.length(3);
  });
});
