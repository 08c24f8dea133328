import { expect } from 'chai';
import type { Pages } from '#base/postgres';
import { ANYBODY } from '#base/tokens';
import { createEvents } from '../../../../services/admin/record/events/store.ts';
import { listFeaturesOf } from '../../../../services/admin/flags/features/read.ts';
import { listFeedback } from '../../../../services/admin/flags/feedback/operations.ts';
import { type Api, aFeature, aUser, sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';

const PAGE_BYTES = 128 * 1024;
const LONGEST_TEXT = '€'.repeat(10_000);
const LONG_ROWS = 200;

const REQUESTS = '/api/admin/projects/default/change-requests';
const IN_PRODUCTION = '/api/admin/projects/default/environments/production/change-requests';
const FEEDBACK = '/api/admin/feedback';

type Request = { readonly id: number; readonly features: readonly { readonly changes: { id: number }[] }[] };

describe('limits of the admin API', () => {
  const world = sharedAdminWorld({ MAX_WRITES_PER_DAY: '5', MAX_WRITTEN_BYTES_PER_DAY: '102400' });
  let api: Api;
  before(async () => {
    ({ api } = world);
    await aFeature(api, 'f');
  });

  describe('lists', () => {
    before(async () => {
      const rows = `generate_series(1, ${LONG_ROWS}) as i`;
      await world.db.query(
        `insert into feedback (category, positive, areas_for_improvement) select 'search', $1, $1 from ${rows}`,
        [LONGEST_TEXT],
      );
      await world.db.query(
        `insert into features (name, project, description) select 'long-' || i, 'default', $1 from ${rows}`,
        [LONGEST_TEXT],
      );
      await world.db.query(
        `insert into events (type, created_by, project, data, pre_data)
         select 'test', 'ana', 'default', jsonb_build_object('text', $1::text), jsonb_build_object('text', $1::text)
         from ${rows}`,
        [LONGEST_TEXT],
      );
    });

    const LISTS: Readonly<Record<string, () => Promise<Pages<unknown> | undefined>>> = {
      feedback: () => listFeedback(world.db),
      features: () => listFeaturesOf(world.db, { project: 'default', areArchived: false, caller: ANYBODY }),
      'events of a project': () => createEvents(world.db).ofProject('default', undefined),
      'latest events': async () => (await createEvents(world.db).listLatest(100, undefined)).events,
    };
    for (const [title, open] of Object.entries(LISTS)) {
      it(`of ${title} are read in pages of few bytes, each item once`, async () => {
        const items: string[] = [];
        let longest = 0;
        for await (const page of (await open()) ?? []) {
          const texts = page.map((item) => JSON.stringify(item));
          longest = Math.max(longest, Buffer.byteLength(texts.join('')));
          items.push(...texts);
        }
        // A row that fills a page may exceed its limit.
        expect(longest).to.be.within(PAGE_BYTES / 2, PAGE_BYTES * 1.5);
        expect(items.length).to.be.at.least(100);
        expect(new Set(items).size).to.equal(items.length);
      });
    }

    it('may be read eight at a time by one caller, while others still get answers', async () => {
      const leaving = new AbortController();
      const read = (token: string) =>
        fetch(`${api.url}${FEEDBACK}`, { headers: { authorization: token }, signal: leaving.signal });
      const vera = await aUser(api, 'Viewer', 'vera-who-reads');
      const open = await Promise.all(Array.from({ length: 9 }, () => read(vera.token)));
      expect(open.map(({ status }) => status)).to.have.members([...Array<number>(8).fill(200), 429]);
      const rejected = open.find(({ status }) => status === 429);
      expect(rejected?.headers.get('retry-after')).to.equal('5');
      expect((await read(ADMIN_TOKEN)).status).to.equal(200);
      leaving.abort();
    });
  });

  it('allow a user five changes a day and unlimited reads; Admins have no limit', async () => {
    const [vera, ada] = [await aUser(api, 'Viewer', 'vera'), await aUser(api, 'Admin', 'ada')];
    // Making the own token was a change, too.
    await world.db.query('delete from daily_writes where user_id = $1', [vera.id]);
    const favourite = '/api/admin/projects/default/features/f/favorites';
    const change = async ({ token }: { token: string }, index: number) =>
      (await api.call(index % 2 === 0 ? 'POST' : 'DELETE', favourite, { token })).status;
    for (let index = 0; index < 5; index += 1) expect(await change(vera, index)).to.equal(200);
    const rejected = await api.post(FEEDBACK, { category: 'search' }, { token: vera.token });
    expect(rejected.status).to.equal(429);
    expect(rejected.body).to.include({ name: 'TooManyRequests' });
    expect(Number(rejected.headers.get('retry-after'))).to.be.within(86_000, 86_400);
    expect((await api.get('/api/admin/projects', { token: vera.token })).status).to.equal(200);
    for (let index = 0; index < 8; index += 1) expect(await change(ada, index)).to.equal(200);

    await world.db.query(
      `update daily_writes set began_at = began_at - interval '1 day' where user_id = $1`,
      [vera.id],
    );
    expect(await change(vera, 1)).to.equal(200);
  });

  it('allow a user so many bytes a day', async () => {
    const { token } = await aUser(api, 'Viewer', 'victor');
    const give = async (text: string) =>
      (await api.post(FEEDBACK, { category: 'search', positive: text, areasForImprovement: text }, { token }))
        .status;
    expect(await give(LONGEST_TEXT)).to.equal(201);
    expect(await give(LONGEST_TEXT)).to.equal(429);
    expect(await give('short')).to.equal(201);
  });

  describe('in a change request', () => {
    const ENABLE = { feature: 'f', action: 'updateEnabled', payload: { enabled: true } };
    let request: Request;
    beforeEach(async () => {
      const { token } = await aUser(api, 'Admin', `author-${String(Math.random()).slice(2)}`);
      author = token;
      request = (await add([ENABLE])).body as Request;
    });
    let author: string;
    const add = (changes: unknown[]) => api.post(IN_PRODUCTION, { changes }, { token: author });
    const changes = (number: number) => Array.from({ length: number }, () => ENABLE);

    it('are 200 changes', async () => {
      expect((await add(changes(100))).status).to.equal(200);
      expect((await add(changes(99))).status).to.equal(200);
      const rejected = await add([ENABLE]);
      expect(rejected.status).to.equal(400);
      expect(rejected.body).to.have.property('message').that.includes('at most 200 changes');
    });

    it('are 256 KiB of payloads, added or edited', async () => {
      const long = { feature: 'f', action: 'addDependency', payload: { text: 'x'.repeat(100_000) } };
      expect((await add([long])).status).to.equal(200);
      expect((await add([long])).status).to.equal(200);
      expect((await add([long])).status).to.equal(400);
      const change = `${REQUESTS}/${request.id}/changes/${request.features[0]?.changes[0]?.id ?? 0}`;
      const { action, payload } = long;
      expect((await api.put(change, { action, payload }, { token: author })).status).to.equal(400);
    });

    it('are 200 comments, including those of votes', async () => {
      await world.db.query(
        `insert into change_request_comments (change_request_id, text, created_by)
         select $1, 'hm', -1 from generate_series(1, 199)`,
        [request.id],
      );
      const comment = () => api.post(`${REQUESTS}/${request.id}/comments`, { text: 'hm' }, { token: author });
      expect((await comment()).status).to.equal(200);
      expect((await comment()).status).to.equal(400);
      const state = { state: 'In review', comment: 'done' };
      expect((await api.put(`${REQUESTS}/${request.id}/state`, state, { token: author })).status).to.equal(
        400,
      );
    });

    it('leave counts instead of payloads in the list', async () => {
      await add(changes(3));
      const { body } = await api.get(REQUESTS, { token: author });
      const listed = (body as { id: number }[]).find(({ id }) => id === request.id);
      expect(listed).to.deep.include({
        features: ['f'],
        changes: 4,
        approvals: 0,
        comments: 0,
        state: 'Draft',
      });
      expect(JSON.stringify(body)).not.to.include('payload');
    });
  });
});
