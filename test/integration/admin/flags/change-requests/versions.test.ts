import { request } from 'node:http';
import { expect } from 'chai';
import {
  type Answer,
  type Api,
  aFeature,
  aUser,
  sharedAdminWorld,
} from '../../../../support/admin-api/admin.ts';
import {
  ARCHIVE,
  ENABLE,
  IN_PRODUCTION,
  REQUESTS,
  ifMatch,
  stepAsRead,
} from '../../../../support/admin-api/change-requests.ts';

const ROUNDS = 20;

type Shown = {
  readonly id: number;
  readonly version: number;
  readonly state: string;
  readonly approvals: readonly { readonly version: number }[];
  readonly withdrawnApprovals: readonly object[];
  readonly features: readonly { readonly changes: readonly { readonly id: number }[] }[];
};

describe('versions of a change request', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let ana: { id: number; token: string };
  let ben: { id: number; token: string };
  before(async () => {
    ({ api } = world);
    ana = await aUser(api, 'Editor', 'ana');
    ben = await aUser(api, 'Editor', 'ben');
    await aFeature(api, 'f');
  });
  afterEach(async () => {
    const { body } = await api.get(REQUESTS);
    for (const { id, state } of body as Shown[])
      if (['Draft', 'In review', 'Approved'].includes(state))
        expect((await api.put(`${REQUESTS}/${id}/state`, { state: 'Cancelled' }, ana)).status).to.equal(200);
  });

  const show = ({ body }: Answer): Shown => body as Shown;
  const etagOf = ({ headers }: Answer): string => headers.get('etag') ?? '';
  const read = (id: number, { token } = ben) => api.get(`${REQUESTS}/${id}`, { token });
  const to = (state: string) => ({
    state,
    ...(state === 'Scheduled' ? { scheduledAt: '2099-01-01T00:00:00Z' } : {}),
  });
  const put = (id: number, state: string, { etag, token = ben.token }: { etag?: string; token?: string }) =>
    api.put(`${REQUESTS}/${id}/state`, to(state), { token, headers: ifMatch(etag ?? null) });
  const lead = (id: number, state: string, { token } = ben) =>
    stepAsRead(api, { path: `${REQUESTS}/${id}`, change: to(state), token });
  const changePath = ({ id, features }: Shown) =>
    `${REQUESTS}/${id}/changes/${features[0]?.changes[0]?.id ?? 0}`;
  const edit = (of: Shown, update: object = ARCHIVE, headers = {}) =>
    api.put(changePath(of), update, { token: ana.token, headers });

  async function inReview(): Promise<Shown> {
    const { id } = show(await api.post(IN_PRODUCTION, { changes: [ENABLE] }, ana));
    return show(await api.put(`${REQUESTS}/${id}/state`, { state: 'In review' }, ana));
  }

  it('let nobody approve or reject content that they have not read', async () => {
    const submitted = await inReview();
    const seen = etagOf(await read(submitted.id));
    expect((await edit(submitted)).body).to.include({ state: 'In review' });
    for (const state of ['Approved', 'Rejected']) {
      const { status, body } = await put(submitted.id, state, { etag: seen });
      expect(status, state).to.equal(412);
      expect(body).to.include({ name: 'PreconditionFailed' });
    }
    const now = await read(submitted.id);
    expect(show(now)).to.include({ state: 'In review' });
    expect((await put(submitted.id, 'Approved', { etag: etagOf(now) })).body).to.include({
      state: 'Approved',
    });
  });

  it('must be named to approve, reject, schedule and apply, by one ETag', async () => {
    const { id } = await inReview();
    for (const state of ['Approved', 'Rejected', 'Scheduled', 'Applied']) {
      for (const headers of [{}, { 'if-match': '*' }]) {
        const { status, body } = await api.put(`${REQUESTS}/${id}/state`, to(state), {
          token: ben.token,
          headers,
        });
        expect(status, state).to.equal(428);
        expect(body).to.include({ name: 'PreconditionRequired' });
      }
      expect((await put(id, state, { etag: '"1", "2", "3"' })).status, state).to.equal(400);
    }
    expect(show(await read(id))).to.include({ state: 'In review' });
  });

  it('are named by an ETag that a proxy has made weak or given a suffix, also in several headers', async () => {
    const { id } = await inReview();
    const etag = etagOf(await read(id));
    const approve = (...headers: string[]) =>
      rawStatus(`${api.url}${REQUESTS}/${id}/state`, { token: ben.token, headers, body: to('Approved') });
    expect(await approve('"999"', etag)).to.equal(400);
    expect(await approve('"999"')).to.equal(412);
    expect(await approve(`W/${etag}`, etag.replace(/"$/, '-gzip"'))).to.equal(200);
    expect((await put(id, 'Applied', { etag: `W/${etagOf(await read(id))}` })).status).to.equal(200);
  });

  it('increase with every edit and with nothing else', async () => {
    const submitted = await inReview();
    const versions = [submitted.version];
    const after = async (answer: Promise<Answer>) => {
      const { status, body } = await answer;
      expect(status, JSON.stringify(body)).to.equal(200);
      versions.push((body as Shown).version);
    };
    await after(api.put(`${REQUESTS}/${submitted.id}/title`, { title: 'Other' }, ana));
    await after(api.post(IN_PRODUCTION, { changes: [ENABLE, ENABLE] }, ana));
    await after(edit(submitted));
    await after(api.delete(changePath(submitted), ana));
    expect(versions.every((version, at) => version > (versions[at - 1] ?? 0))).to.equal(true);

    const { version } = show(await read(submitted.id));
    await api.post(`${REQUESTS}/${submitted.id}/comments`, { text: 'hm' }, { token: ben.token });
    const approved = show(await lead(submitted.id, 'Approved'));
    expect(approved).to.include({ state: 'Approved', version });
    expect(approved.approvals.map((approval) => approval.version)).to.deep.equal([version]);
  });

  it('withdraw the approvals of the version before, and say so in an event', async () => {
    const submitted = await inReview();
    const approved = show(await lead(submitted.id, 'Approved'));
    const renamed = show(await api.put(`${REQUESTS}/${approved.id}/title`, { title: 'Quite other' }, ana));
    expect(renamed).to.include({ state: 'In review' });
    expect(renamed.approvals).to.deep.equal([]);
    expect(renamed.withdrawnApprovals).to.have.length(1);
    expect(renamed.withdrawnApprovals[0]).to.deep.include({
      version: approved.version,
      createdBy: { id: ben.id, username: 'ben', imageUrl: null },
    });
    const { rows } = await world.db.query<{ data: unknown; pre_data: unknown }>(
      `select data, pre_data
       from events
       where type = 'change-request-approvals-withdrawn' and group_id = $1`,
      [String(approved.id)],
    );
    expect(rows).to.deep.equal([
      {
        data: { id: approved.id, version: renamed.version },
        pre_data: {
          id: approved.id,
          version: approved.version,
          approvals: [{ userId: ben.id, name: 'ben' }],
        },
      },
    ]);
  });

  it('keep the last withdrawn approval of each person, until they approve again', async () => {
    const submitted = await inReview();
    for (let round = 0; round < 3; round += 1) {
      await lead(submitted.id, 'Approved');
      await edit(submitted, { action: 'updateEnabled', payload: { enabled: round % 2 === 0 } });
    }
    const before = show(await read(submitted.id));
    expect(before.withdrawnApprovals).to.have.length(1);
    expect(before.withdrawnApprovals[0]).to.include({ version: before.version - 1 });
    expect(show(await lead(submitted.id, 'Approved')).withdrawnApprovals).to.deep.equal([]);
  });

  it('compare the If-Match of edits, titles, submissions, cancellations and discarded drafts', async () => {
    const draft = show(await api.post(IN_PRODUCTION, { changes: [ENABLE] }, ana));
    const old = ifMatch(etagOf(await read(draft.id, ana)));
    await api.put(`${REQUESTS}/${draft.id}/title`, { title: 'In another tab' }, ana);
    const call = { token: ana.token, headers: old };
    const answers = [
      await edit(draft, ARCHIVE, old),
      await api.delete(changePath(draft), call),
      await api.put(`${REQUESTS}/${draft.id}/title`, { title: 'Mine' }, call),
      await api.put(`${REQUESTS}/${draft.id}/state`, { state: 'In review' }, call),
      await api.put(`${REQUESTS}/${draft.id}/state`, { state: 'Cancelled' }, call),
      await api.delete(`${REQUESTS}/${draft.id}`, call),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 412));
    expect(show(await read(draft.id, ana))).to.include({ state: 'Draft', title: 'In another tab' });
  });

  it('decide between an edit and an approval of the same moment: one of them sees the other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const submitted = await inReview();
      const etag = etagOf(await read(submitted.id));
      const race = [() => put(submitted.id, 'Approved', { etag }), () => edit(submitted)];
      const [first, second] = round % 2 === 0 ? race : race.toReversed();
      const answers = await Promise.all([first?.(), second?.()]);
      const after = show(await read(submitted.id));
      expect(after).to.include({ state: 'In review', version: submitted.version + 1 });
      expect(after.approvals).to.deep.equal([]);
      const approval = answers[round % 2];
      expect(approval?.status).to.be.oneOf([200, 412]);
      expect(after.withdrawnApprovals).to.have.length(approval?.status === 200 ? 1 : 0);
      await api.put(`${REQUESTS}/${submitted.id}/state`, { state: 'Cancelled' }, ana);
    }
  });
});

type Raw = {
  readonly token: string;
  readonly headers: readonly string[];
  readonly body: object;
};

/** The status of a request with several headers If-Match, which fetch would join. */
function rawStatus(url: string, { token, headers, body }: Raw): Promise<number | undefined> {
  const content = JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'PUT',
        headers: [
          'host',
          new URL(url).host,
          'authorization',
          token,
          'content-type',
          'application/json',
          'content-length',
          String(content.length),
          ...headers.flatMap((value) => ['if-match', value]),
        ],
      },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      },
    );
    sent.on('error', reject);
    sent.end(content);
  });
}
