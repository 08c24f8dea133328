import { expect } from 'chai';
import { PROJECT_PERMISSIONS } from '#base/tokens';
import { type Api, aFeature, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { ifMatch, stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { revokePersonalTokens } from '../../../../support/admin-api/personal-tokens.ts';
import { eventually } from '../../../../support/eventually.ts';

const PROJECT = '/api/admin/projects/guarded';
const IN_PRODUCTION = `${PROJECT}/environments/production/change-requests`;
const SCHEDULED = { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' };

type Person = { readonly id: number; readonly token: string };
type Shown = {
  readonly id: number;
  readonly state: string;
  readonly minApprovals: number;
  readonly schedule?: { readonly status: string; readonly reason?: string };
};

describe('the approvals of a change request that is applied', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let ana: Person;
  let ben: Person;
  let cleo: Person;
  let features = 0;
  before(async () => {
    ({ api } = world);
    await api.post('/api/admin/projects', { id: 'guarded', name: 'Guarded' });
    cleo = await aUser(api, 'Editor', 'cleo');
  });
  beforeEach(async () => {
    features += 1;
    ana = await aUser(api, 'Editor', `ana-${features}`);
    ben = await aUser(api, 'Editor', `ben-${features}`);
    await requireApprovals(1);
  });

  const requireApprovals = (requiredApprovals: number) =>
    api.put(`${IN_PRODUCTION}/config`, { requiredApprovals });
  const setRole = ({ id }: Person, rootRole: string) => api.put(`/api/admin/user-admin/${id}`, { rootRole });
  const pathOf = (id: number) => `${PROJECT}/change-requests/${id}`;
  const look = async (id: number) => (await api.get(pathOf(id))).body as Shown;
  const lead = (id: number, change: { state: string }, { token }: Person) =>
    stepAsRead(api, { path: pathOf(id), change, token });

  async function approved(): Promise<number> {
    const feature = `f-${features}`;
    await aFeature(api, feature, 'guarded');
    const changes = [{ feature, action: 'updateEnabled', payload: { enabled: true } }];
    const { body } = await api.post(IN_PRODUCTION, { changes }, ana);
    const { id } = body as Shown;
    await lead(id, { state: 'In review' }, ana);
    expect((await lead(id, { state: 'Approved' }, ben)).body).to.include({ state: 'Approved' });
    return id;
  }

  async function expectRefusal(id: number, reason: string): Promise<void> {
    for (const change of [{ state: 'Applied' }, SCHEDULED]) {
      const { status, body } = await lead(id, change, cleo);
      expect(status, change.state).to.equal(400);
      expect((body as { message: string }).message).to.equal(reason);
    }
    expect(await look(id)).to.include({ state: 'Approved' });
  }

  const needs = (name: string, reason: string) =>
    `This change request needs 1 approval by people who may approve; has 0: the approval of ${name} no longer counts because ${reason}.`;

  it('do not count if their voter has lost the role, until the voter has it again', async () => {
    const id = await approved();
    await setRole(ben, 'Viewer');
    await expectRefusal(
      id,
      needs(`ben-${features}`, 'this user may not approve in this environment any more'),
    );
    await setRole(ben, 'Editor');
    expect((await lead(id, { state: 'Applied' }, cleo)).body).to.include({ state: 'Applied' });
  });

  it('count exactly while their voter could approve again, whichever permission the voter loses', async () => {
    await setRole(ben, 'None');
    const roleWith = (permissions: readonly string[]) => api.put('/api/admin/roles/Voter', { permissions });
    await roleWith(PROJECT_PERMISSIONS);
    await api.post(`${PROJECT}/access`, { user: `ben-${features}`, role: 'Voter' });
    const id = await approved();
    const counting: string[] = [];
    for (const permission of PROJECT_PERMISSIONS) {
      await roleWith(PROJECT_PERMISSIONS.filter((other) => other !== permission));
      const outdated = { ...ben, headers: ifMatch('"0"') };
      const { status } = await api.put(`${pathOf(id)}/state`, { state: 'Approved' }, outdated);
      expect(status, permission).to.be.oneOf([403, 412]);
      const isCounted = (await lead(id, SCHEDULED, cleo)).status === 200;
      expect(isCounted, `without ${permission}`).to.equal(status === 412);
      if (isCounted) counting.push(permission);
    }
    expect(counting).to.have.members(
      PROJECT_PERMISSIONS.filter((one) => one !== 'EDIT_CHANGE_REQUEST' && one !== 'APPROVE_CHANGE_REQUEST'),
    );
  });

  it('do not count if their voter was deleted, and can be replaced by others', async () => {
    const id = await approved();
    await api.delete(`/api/admin/user-admin/${ben.id}`);
    await expectRefusal(id, needs(`ben-${features}`, 'the user was deleted'));
    expect((await lead(id, { state: 'Approved' }, ana)).status, 'its author').to.equal(403);
    expect((await lead(id, { state: 'Approved' }, cleo)).body).to.include({ state: 'Approved' });
    expect((await lead(id, { state: 'Applied' }, cleo)).body).to.include({ state: 'Applied' });
  });

  it('do not count if the personal token that was used was revoked, which somebody else may have had', async () => {
    const id = await approved();
    await revokePersonalTokens(api, ben);
    await expectRefusal(id, needs(`ben-${features}`, 'the token was revoked'));
  });

  it('do not count if the ADMIN token that gave them was revoked', async () => {
    const id = await approved();
    await requireApprovals(2);
    const created = await api.post('/api/admin/api-tokens', { tokenName: 'pipeline', type: 'admin' });
    const { id: tokenId, secret } = created.body as { id: string; secret: string };
    expect((await lead(id, { state: 'Approved' }, { id: -42, token: secret })).status).to.equal(200);
    await api.delete(`/api/admin/api-tokens/${tokenId}`);
    await expectRefusal(
      id,
      'This change request needs 2 approvals by people who may approve; has 1: the approval of pipeline no longer counts because the token was revoked.',
    );
  });

  it('by an Admin for an own request do not count after that Admin has become an Editor', async () => {
    await setRole(ana, 'Admin');
    const id = await approved();
    await requireApprovals(2);
    expect((await lead(id, { state: 'Approved' }, ana)).status).to.equal(200);
    await setRole(ana, 'Editor');
    const { body } = await lead(id, { state: 'Applied' }, cleo);
    expect((body as { message: string }).message).to.match(
      /has 1: the approval of ana-\d+ no longer counts because authors may not approve/,
    );
  });

  it('must be as many as the environment requires now, which the request shows', async () => {
    const id = await approved();
    await requireApprovals(2);
    expect(await look(id)).to.include({ state: 'Approved', minApprovals: 2 });
    await expectRefusal(id, 'This change request needs 2 approvals by people who may approve; has 1.');
    await requireApprovals(1);
    expect(await look(id)).to.include({ minApprovals: 1 });
    expect((await lead(id, SCHEDULED, cleo)).body).to.include({ state: 'Scheduled' });
  });

  it('count when a schedule is due: it fails with the missing approvals, and nothing is changed', async () => {
    const id = await approved();
    await lead(id, SCHEDULED, cleo);
    await setRole(ben, 'Viewer');
    await fallDue(id);
    const failed = await eventually(
      () => look(id),
      ({ schedule }) => schedule?.status !== 'pending',
    );
    expect(failed.schedule).to.deep.include({
      status: 'failed',
      reason: needs(`ben-${features}`, 'this user may not approve in this environment any more'),
    });
    const { body } = await api.get(`${PROJECT}/features/f-${features}`);
    expect((body as { environments: object[] }).environments).to.deep.include({
      name: 'production',
      enabled: false,
      lastSeenAt: null,
    });
    expect((await lead(id, { state: 'Approved' }, cleo)).body).to.include({ state: 'Scheduled' });
    expect((await lead(id, { state: 'Applied' }, cleo)).body).to.include({ state: 'Applied' });
  });

  it('count for the version that was scheduled only', async () => {
    const id = await approved();
    await lead(id, SCHEDULED, cleo);
    // No operation edits a scheduled request, so this stands for any other writer of the table.
    await world.db.query('update change_requests set version = version + 1 where id = $1', [id]);
    await fallDue(id);
    const { schedule } = await eventually(
      () => look(id),
      (request) => request.schedule?.status !== 'pending',
    );
    expect(schedule?.status).to.equal('failed');
    expect(schedule?.reason).to.match(
      /^Version \d+ was scheduled, but the change request has version \d+\.$/,
    );
  });

  const fallDue = (id: number) =>
    world.db.query('update change_request_schedule set scheduled_at = now() where change_request = $1', [id]);
});
