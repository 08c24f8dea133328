import { expect } from 'chai';
import {
  type Answer,
  type Api,
  aFeature,
  aUser,
  sharedAdminWorld,
} from '../../../../support/admin-api/admin.ts';
import { ARCHIVE, ENABLE, IN_PRODUCTION, REQUESTS } from '../../../../support/admin-api/change-requests.ts';

type Shown = {
  readonly id: number;
  readonly version: number;
  readonly features: readonly { readonly changes: readonly { readonly id: number }[] }[];
};

describe('the differences of a change request', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let ana: { id: number; token: string };
  let ben: { id: number; token: string };
  before(async () => {
    ({ api } = world);
    await aFeature(api, 'f');
  });
  beforeEach(async function () {
    const { title } = this.currentTest ?? { title: '' };
    ana = await aUser(api, 'Editor', `ana ${title}`);
    ben = await aUser(api, 'Editor', `ben ${title}`);
  });

  const show = ({ body }: Answer): Shown => body as Shown;
  const edit = ({ id, features }: Shown, update: object = ARCHIVE) =>
    api.put(`${REQUESTS}/${id}/changes/${features[0]?.changes[0]?.id ?? 0}`, update, ana);

  async function inReview(): Promise<Shown> {
    const { id } = show(await api.post(IN_PRODUCTION, { changes: [ENABLE] }, ana));
    return show(await api.put(`${REQUESTS}/${id}/state`, { state: 'In review' }, ana));
  }

  it('are those that edits made since a version was read, without what they undid', async () => {
    const submitted = await inReview();
    const since = submitted.version;
    const differences = async () =>
      (await api.get(`${REQUESTS}/${submitted.id}/differences?since=${since}`, { token: ben.token })).body;
    expect(await differences()).to.deep.equal({ since, version: since, changes: [] });

    const [first] = submitted.features[0]?.changes ?? [];
    await edit(submitted);
    const added = show(await api.post(IN_PRODUCTION, { changes: [ENABLE] }, ana));
    const extra = added.features[0]?.changes[1]?.id ?? 0;
    await edit(submitted, { action: 'updateEnabled', payload: { enabled: false } });
    const passing = show(await api.post(IN_PRODUCTION, { changes: [ENABLE] }, ana));
    const gone = passing.features[0]?.changes[2]?.id ?? 0;
    const removed = await api.delete(`${REQUESTS}/${submitted.id}/changes/${gone}`, ana);
    await api.put(`${REQUESTS}/${submitted.id}/title`, { title: 'First' }, ana);
    await api.put(`${REQUESTS}/${submitted.id}/title`, { title: 'Second' }, ana);
    expect(await differences()).to.deep.equal({
      since,
      version: show(removed).version + 2,
      title: { before: null, after: 'Second' },
      changes: [
        {
          id: first?.id,
          feature: 'f',
          before: { action: 'updateEnabled', payload: { enabled: true } },
          after: { action: 'updateEnabled', payload: { enabled: false } },
        },
        { id: extra, feature: 'f', after: { action: 'updateEnabled', payload: { enabled: true } } },
      ],
    });
  });

  it('are shown to everybody who may read the request, and to nobody else', async () => {
    const submitted = await inReview();
    const since = 1;
    const stranger = await aUser(api, 'Viewer', 'vera');
    const status = async (path: string) => (await api.get(path, { token: stranger.token })).status;
    expect(await status(`${REQUESTS}/${submitted.id}/differences?since=${since}`)).to.equal(200);
    expect(await status(`${REQUESTS}/999999/differences?since=1`)).to.equal(404);
    const other = await aUser(api, 'Editor', 'dora');
    const draft = show(await api.post(IN_PRODUCTION, { changes: [ENABLE] }, { token: other.token }));
    expect(await status(`${REQUESTS}/${draft.id}/differences?since=1`)).to.equal(404);
    await api.delete(`${REQUESTS}/${draft.id}`, { token: other.token });
  });
});
