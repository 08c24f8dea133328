import { expect } from 'chai';
import { type Answer, aFeature, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import {
  ENABLE,
  IN_PRODUCTION,
  REQUESTS,
  stepAsRead,
} from '../../../../support/admin-api/change-requests.ts';

type Shown = {
  id: number;
  approvals: unknown[];
  features: { changes: { id: number; action: string }[] }[];
  segments: unknown[];
};

function shown({ body }: Answer): Shown {
  return body as Shown;
}

describe('the content of change requests', () => {
  const world = sharedAdminWorld();
  let ana: { id: number; token: string };
  let ben: { id: number; token: string };
  let cleo: { id: number; token: string };
  before(async () => {
    ana = await aUser(world.api, 'Editor', 'ana');
    ben = await aUser(world.api, 'Editor', 'ben');
    cleo = await aUser(world.api, 'Editor', 'cleo');
    await aFeature(world.api, 'f');
  });

  async function aDraft(changes: unknown[] = [ENABLE], token = ana.token): Promise<Shown> {
    const answer = await world.api.post(IN_PRODUCTION, { changes }, { token });
    expect(answer.status).to.equal(200);
    return shown(answer);
  }

  function lead(id: number, state: string, token: string): Promise<Answer> {
    return stepAsRead(world.api, { path: `${REQUESTS}/${id}`, change: { state }, token });
  }

  async function anApproved(): Promise<Shown> {
    const { id } = await aDraft();
    await lead(id, 'In review', ana.token);
    return shown(await lead(id, 'Approved', ben.token));
  }

  it('is collected from their author, whose edits withdraw approvals', async () => {
    const { api } = world;
    const approved = await anApproved();
    const again = await aDraft([{ feature: 'f', action: 'archiveFeature' }]);
    expect(again.id).to.equal(approved.id);
    expect(again).to.include({ state: 'In review' });
    expect(again.approvals).to.deep.equal([]);
    const changes = again.features[0]?.changes ?? [];
    expect(changes.map(({ action }) => action)).to.deep.equal(['updateEnabled', 'archiveFeature']);
    const path = `${REQUESTS}/${again.id}/changes`;
    const removed = await api.delete(`${path}/${changes[1]?.id ?? 0}`, { token: ana.token });
    expect(shown(removed).features[0]?.changes).to.have.length(1);
    const edit = { action: 'updateEnabled', payload: { enabled: false } };
    const edited = await api.put(`${path}/${changes[0]?.id ?? 0}`, edit, { token: ana.token });
    expect(edited.status).to.equal(200);
    expect((await api.put(`${path}/999999`, edit, { token: ana.token })).status).to.equal(404);
    expect((await api.put(`${path}/${changes[0]?.id ?? 0}`, edit, { token: ben.token })).status).to.equal(
      403,
    );
    const renamed = await api.put(
      `${REQUESTS}/${again.id}/title`,
      { title: 'Off again' },
      { token: ana.token },
    );
    expect(renamed.body).to.include({ title: 'Off again' });
    expect((await lead(again.id, 'Cancelled', ana.token)).body).to.include({ state: 'Cancelled' });
  });

  it('keeps changes of segments apart, and rejects invalid changes', async () => {
    const { api } = world;
    const draft = await aDraft([{ action: 'updateSegment', payload: { id: 3, name: 'beta' } }]);
    expect(draft.segments).to.have.length(1);
    for (const change of [
      { action: 'updateEnabled', payload: {}, feature: 'f' },
      { action: 'updateEnabled', payload: { enabled: true } },
      { action: 'archiveFeature', feature: 'nothing' },
      { action: 'deleteSegment', payload: { id: 3 }, feature: 'f' },
      { action: 'fly', feature: 'f' },
    ]) {
      const answer = await api.post(IN_PRODUCTION, { changes: [change] }, { token: ana.token });
      expect(answer.body, JSON.stringify(change)).to.include({ name: 'ValidationError' });
    }
    const elsewhere = '/api/admin/projects/default/environments/moon/change-requests';
    expect((await api.post(elsewhere, { changes: [ENABLE] })).status).to.equal(404);
    expect((await api.delete(`${REQUESTS}/${draft.id}`, { token: ana.token })).status).to.equal(200);
    expect((await api.get(`${REQUESTS}/${draft.id}`, { token: ana.token })).status).to.equal(404);
  });

  it('is one request when its author adds several changes at once', async () => {
    const drafts = await Promise.all(Array.from({ length: 6 }, () => aDraft([ENABLE], cleo.token)));
    expect(new Set(drafts.map(({ id }) => id)).size).to.equal(1);
    await world.api.delete(`${REQUESTS}/${drafts[0]?.id ?? 0}`, { token: cleo.token });
  });

  it('cannot change after the request is submitted, nor after it has ended', async () => {
    const { api } = world;
    const { id, features } = await aDraft();
    const change = `${REQUESTS}/${id}/changes/${features[0]?.changes[0]?.id ?? 0}`;
    expect((await api.delete(change, { token: ben.token })).status).to.equal(404); // a draft of another user
    await lead(id, 'In review', ana.token);
    expect((await api.delete(change, { token: ben.token })).body).to.include({ name: 'NoAccessError' });
    expect((await api.delete(`${REQUESTS}/${id}`, { token: ben.token })).status).to.equal(403);
    expect((await api.delete(`${REQUESTS}/${id}`, { token: ana.token })).body).to.include({
      name: 'ValidationError',
    });
    await lead(id, 'Cancelled', ana.token);
    expect((await api.delete(change, { token: ana.token })).body).to.include({ name: 'ValidationError' });
    const edit = { action: 'updateEnabled', payload: { enabled: false } };
    expect((await api.put(change, edit, { token: ana.token })).status).to.equal(400);
    expect((await api.put(`${REQUESTS}/${id}/title`, { title: 'x' }, { token: ana.token })).status).to.equal(
      400,
    );
    const { body } = await api.get(`${REQUESTS}/${id}`, { token: ana.token });
    expect(body).to.deep.include({ state: 'Cancelled', features });
  });
});
