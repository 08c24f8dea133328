import { expect } from 'chai';
import { type Api, aFeature, aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { IN_PRODUCTION, stepAsRead } from '../../../support/admin-api/change-requests.ts';
import { eventually } from '../../../support/eventually.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

const NEW = { description: 'made in the test', expiresAt: IN_A_MONTH };
const OWN = '/api/admin/user/tokens';

type Made = { readonly id: string; readonly secret: string; readonly createdByUserId: number };
type Person = { readonly id: number; readonly token: string };

describe('personal tokens that somebody else has made', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let ada: Person;
  let ana: Person;
  let ben: Person;
  let feature = 0;
  before(async () => {
    ({ api } = world);
    ada = await aUser(api, 'Admin', 'ada');
  });
  beforeEach(async () => {
    feature += 1;
    ana = await aUser(api, 'Editor', `ana-${feature}`);
    ben = await aUser(api, 'Editor', `ben-${feature}`);
    await aFeature(api, `f-${feature}`);
  });

  async function make(path: string, token: string): Promise<Made> {
    const { status, body } = await api.post(path, NEW, { token });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body as Made;
  }

  const madeFor = ({ id }: Pick<Person, 'id'>) => make(`/api/admin/user-admin/${id}/tokens`, ada.token);

  async function inReview(): Promise<string> {
    const changes = [{ feature: `f-${feature}`, action: 'updateEnabled', payload: { enabled: true } }];
    const { body } = await api.post(IN_PRODUCTION, { changes }, ana);
    const path = `/api/admin/projects/default/change-requests/${(body as { id: number }).id}`;
    await stepAsRead(api, { path, change: { state: 'In review' }, token: ana.token });
    return path;
  }

  const decide = (path: string, state: string, token: string) =>
    stepAsRead(api, { path, change: { state }, token });

  it('neither approve nor reject, nor do the tokens that were made with them', async () => {
    const path = await inReview();
    const first = await madeFor(ben);
    const second = await make(OWN, first.secret);
    expect([first, second].map(({ createdByUserId }) => createdByUserId)).to.deep.equal([ada.id, ada.id]);
    for (const { secret } of [first, second]) {
      for (const state of ['Approved', 'Rejected']) {
        const { status, body } = await decide(path, state, secret);
        expect(status).to.equal(403);
        expect((body as { message: string }).message).to.match(/Somebody else made this personal token/);
      }
    }
    const own = await make(OWN, ben.token);
    expect(own.createdByUserId).to.equal(ben.id);
    expect((await decide(path, 'Approved', own.secret)).body).to.include({ state: 'Approved' });
  });

  it('are replaced by an own one and end, which the other holder of the secret notices', async () => {
    const { body } = await api.post('/api/admin/user-admin', {
      username: `cleo-${feature}`,
      rootRole: 'Editor',
    });
    const cleo = body as { id: number };
    const first = await madeFor(cleo);
    const kept = await madeFor(cleo);
    const own = await make(`${OWN}/take-over`, first.secret);
    expect(own.createdByUserId).to.equal(cleo.id);
    expect((await decide(await inReview(), 'Approved', own.secret)).body).to.include({ state: 'Approved' });
    await eventually(
      async () => (await api.get(OWN, { token: first.secret })).status,
      (status) => status === 401,
    );
    const again = await api.post(`${OWN}/take-over`, NEW, { token: kept.secret });
    expect(again.status, 'has an own token now').to.equal(403);
    expect((await api.post(`${OWN}/take-over`, NEW, { token: own.secret })).status).to.equal(400);
    expect((await api.post(`${OWN}/take-over`, NEW)).status, 'an ADMIN token').to.equal(403);
  });

  it('are taken over once, however many requests try', async () => {
    const { body } = await api.post('/api/admin/user-admin', {
      username: `dora-${feature}`,
      rootRole: 'Editor',
    });
    const { secret } = await madeFor(body as { id: number });
    const takeOver = () => api.post(`${OWN}/take-over`, NEW, { token: secret });
    const answers = await Promise.all([takeOver(), takeOver(), takeOver()]);
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
  });

  it('are shown to their user', async () => {
    const isForeign = async (token: string) => {
      const { body } = await api.get('/api/admin/user', { token });
      return (body as { authentication: { isForeign: boolean } }).authentication.isForeign;
    };
    expect(await isForeign((await madeFor(ben)).secret)).to.equal(true);
    expect(await isForeign(ben.token)).to.equal(false);
  });

  it('are named with their maker in the events of what they do, as every token is', async () => {
    const path = await inReview();
    const foreign = await madeFor(ben);
    await api.post(`${path}/comments`, { text: 'fine' }, { token: foreign.secret });
    const made = await api.post('/api/admin/api-tokens', { tokenName: 'bot', type: 'admin' }, ada);
    const bot = made.body as { id: string; secret: string };
    await api.post(`${path}/comments`, { text: 'fine' }, { token: bot.secret });
    const { body } = await api.get('/api/admin/search/events?type=change-request-comment-added&limit=2');
    const { items } = body as { items: { createdBy: string; token: object }[] };
    expect(items.map(({ createdBy, token }) => ({ createdBy, token }))).to.deep.equal([
      { createdBy: 'bot', token: { id: bot.id, createdByUserId: ada.id, createdByTokenId: null } },
      {
        createdBy: `ben-${feature}`,
        token: { id: foreign.id, createdByUserId: ada.id, createdByTokenId: null },
      },
    ]);
  });
});
