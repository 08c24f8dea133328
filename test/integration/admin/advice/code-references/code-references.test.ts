import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import {
  type AdminWorld,
  type Answer,
  aFeature,
  aUser,
  sharedAdminWorld,
} from '../../../../support/admin-api/admin.ts';

const PATH = '/api/admin/code-references';
const COMMIT = '6f1c3f2e4f0c4b8e9a530d8f7f1f2a1165e2d0c4';

const aReference = (changes: object = {}) => ({
  featureName: 'new-basket',
  path: 'src/basket.ts',
  line: 12,
  kind: 'call',
  ...changes,
});

const aPush = (changes: object = {}) => ({
  repository: 'github.com/acme/shop',
  branch: 'main',
  commit: COMMIT,
  references: [aReference()],
  committedAt: '2026-11-26T10:12:00Z',
  ...changes,
});

describe('/api/admin/code-references', () => {
  const world = sharedAdminWorld();
  let scan: string;
  before(async () => {
    await aFeature(world.api, 'new-basket');
    await aFeature(world.api, 'old-basket');
    await world.api.delete('/api/admin/archive/old-basket');
    scan = await aToken(world, 'scan');
  });
  beforeEach(() => world.db.query('delete from code_repositories'));

  const push = (changes: object = {}, token = scan): Promise<Answer> =>
    world.api.post(PATH, aPush(changes), { token });
  const ofFeature = async (name: string): Promise<FeatureReferences> =>
    (await world.api.get(`${PATH}/features/${name}`)).body as FeatureReferences;

  it('replaces what the branch had, and nothing of other branches and repositories', async () => {
    await push();
    await push({ branch: 'next' });
    await push({ repository: 'github.com/acme/pay', references: [aReference({ path: 'pay.go' })] });
    const moved = [aReference({ line: 20 }), aReference({ featureName: 'old-basket', kind: 'mention' })];
    const { status, body } = await push({ references: moved, leftOut: 3 });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ places: 2, leftOut: 3, linkTemplate: null, pushedBy: 'scan' });
    const { total, repositories } = await ofFeature('new-basket');
    expect(total).to.equal(3);
    expect(repositories.map(({ repository, branch, places }) => [repository, branch, places])).to.deep.equal([
      ['github.com/acme/pay', 'main', [{ path: 'pay.go', line: 12, kind: 'call' }]],
      ['github.com/acme/shop', 'main', [{ path: 'src/basket.ts', line: 20, kind: 'call' }]],
      ['github.com/acme/shop', 'next', [{ path: 'src/basket.ts', line: 12, kind: 'call' }]],
    ]);
    expect((await world.api.get(`${PATH}/counts`)).body).to.deep.equal({
      features: [
        { featureName: 'new-basket', calls: 3, mentions: 0, repositories: 2 },
        { featureName: 'old-basket', calls: 0, mentions: 1, repositories: 1 },
      ],
    });
  });

  it('rejects a push of an earlier commit, as from a job that was late', async () => {
    await push({ references: [], committedAt: '2026-11-26T10:12:01+00:00' });
    const { status, body } = await push();
    expect(status).to.equal(409);
    expect(JSON.stringify(body)).to.include('References of a later commit of this branch are stored.');
    expect((await ofFeature('new-basket')).total).to.equal(0);
    // The same second is no earlier one, and other branches have commits of their own.
    expect((await push({ committedAt: '2026-11-26T11:12:01+01:00' })).status).to.equal(200);
    expect((await push({ branch: 'next' })).status).to.equal(200);
    expect((await ofFeature('new-basket')).total).to.equal(2);
  });

  it('takes any push after one of tomorrow, whose committer has a clock that was ahead', async () => {
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect((await push({ committedAt: tomorrow })).status).to.equal(200);
    expect((await push({})).status).to.equal(200);
  });

  it('keeps one place of a line, and calls it a call if one of its references is', async () => {
    await push({
      references: [aReference({ kind: 'mention' }), aReference(), aReference({ kind: 'mention' })],
    });
    const { repositories } = await ofFeature('new-basket');
    expect(repositories[0]?.places).to.deep.equal([{ path: 'src/basket.ts', line: 12, kind: 'call' }]);
  });

  it('lists the names of features, archived or not, and of one project', async () => {
    await world.api.post('/api/admin/projects', { id: 'pay', name: 'Pay' });
    await aFeature(world.api, 'new-card', 'pay');
    const read = async (query: string): Promise<unknown> =>
      (await world.api.get(`${PATH}/names${query}`, { token: scan })).body;
    expect(await read('')).to.deep.equal({
      names: [
        { name: 'new-basket', project: 'default', state: 'active' },
        { name: 'new-card', project: 'pay', state: 'active' },
        { name: 'old-basket', project: 'default', state: 'archived' },
      ],
    });
    expect(await read('?project=pay')).to.deep.equal({
      names: [{ name: 'new-card', project: 'pay', state: 'active' }],
    });
  });

  it('lets a scan token read names and push, and nothing else, and a Viewer only read', async () => {
    const viewer = await aUser(world.api, 'Viewer', 'code-viewer');
    const client = await aToken(world, 'client');
    expect((await push({}, viewer.token)).status).to.equal(403);
    expect((await push({}, client)).status).to.equal(403);
    expect((await world.api.get(`${PATH}/names`, { token: viewer.token })).status).to.equal(200);
    expect((await world.api.get(`${PATH}/names`, { token: client })).status).to.equal(403);
    for (const path of [`${PATH}/counts`, `${PATH}/repositories`, '/api/admin/user', '/api/admin/events'])
      expect((await world.api.get(path, { token: scan })).status, path).to.equal(403);
    const removal = await world.api.delete('/api/admin/archive/new-basket', { token: scan });
    // The token sees no project, so the feature looks as if it did not exist.
    expect(removal.status).to.equal(404);
  });

  it('rejects links that are no web addresses, impossible lines, and more than 10,000 references', async () => {
    for (const changes of [
      { linkTemplate: 'javascript:alert(1)' },
      { linkTemplate: 'https://example.org/"onclick="' },
      { commit: 'main' },
      { references: [aReference({ line: 0 })] },
      { references: [aReference({ path: '' })] },
      { references: [aReference({ path: 'a'.repeat(1001) })] },
      {
        references: Array.from({ length: 10_001 }, (_item, index) => ({ ...aReference(), line: index + 1 })),
      },
    ])
      expect((await push(changes)).status, JSON.stringify(changes).slice(0, 100)).to.equal(400);
  });

  it('takes 10,000 references, and answers 413 to more than 2 MiB', async () => {
    const references = Array.from({ length: 10_000 }, (_item, line) => aReference({ line: line + 1 }));
    expect((await push({ references })).body).to.deep.include({ places: 10_000 });
    const { total, repositories } = await ofFeature('new-basket');
    expect([total, repositories[0]?.places.length]).to.deep.equal([10_000, 1000]);
    const long = references.map((reference) => ({ ...reference, path: 'a'.repeat(300) }));
    const rawBody = gzipSync(JSON.stringify(aPush({ references: long })));
    const headers = { 'content-encoding': 'gzip' };
    const answer = await world.api.call('POST', PATH, { token: scan, rawBody, headers });
    expect(answer.status).to.equal(413);
  });

  it('deletes a branch with its references, and records the event', async () => {
    const { body } = await push();
    const path = `${PATH}/repositories/${(body as { id: number }).id}`;
    expect((await world.api.delete(path)).status).to.equal(200);
    expect((await world.api.delete(path)).status).to.equal(404);
    expect((await ofFeature('new-basket')).total).to.equal(0);
    const { rows } = await world.db.query<{ data: object }>(
      `select pre_data as data from events where type = 'code-repository-deleted'`,
    );
    expect(rows.map(({ data }) => data)).to.deep.equal([body]);
  });

  it('takes 1,000 branches, and then only those that it knows', async () => {
    await push();
    await world.db.query(
      `insert into code_repositories (name, branch, commit, committed_at, pushed_by, left_out)
       select 'many', number::text, '${COMMIT}', now(), 'ci', 0
       from generate_series(1, 999) as number`,
    );
    expect((await push({ branch: 'one-more' })).status).to.equal(400);
    expect((await push()).status).to.equal(200);
  });
});

type FeatureReferences = {
  readonly total: number;
  readonly repositories: readonly {
    readonly repository: string;
    readonly branch: string;
    readonly places: readonly object[];
  }[];
};

async function aToken({ api }: AdminWorld, type: string): Promise<string> {
  const { body } = await api.post('/api/admin/api-tokens', { tokenName: type, type });
  return (body as { secret: string }).secret;
}
