import { expect } from 'chai';
import { syncFeatures } from '#fleet/catalogue';
import { eventually } from '../../../../support/eventually.ts';
import {
  type AdminWorld,
  aUser,
  sharedCountedAdminWorld,
  operationsOf,
} from '../../../../support/admin-api/admin.ts';

const HOUR_MS = 3_600_000;

/** The filters that name things of a project. */
const VALUES = {
  project: (project: string) => project,
  search: (project: string) => project,
  owner: (project: string) => `${project}-team`,
  tag: (project: string) => `team:${project}`,
  feature: (project: string) => `${project}-flag`,
  application: (project: string) => `${project}-app`,
  appName: (project: string) => `${project}-app`,
};
type Filter = keyof typeof VALUES;

const TIMES = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** Every list of features, events and change requests, with what it needs in its query. */
const LISTS = [
  '/api/admin/projects',
  '/api/admin/events',
  '/api/admin/events?project=secret',
  '/api/admin/events/secret-flag',
  '/api/admin/search/features?limit=100',
  '/api/admin/search/features?project=secret',
  '/api/admin/search/features?sort=-lastSeenAt',
  '/api/admin/search/events',
  '/api/admin/search/events?project=secret',
  '/api/admin/search/change-requests',
  '/api/admin/search/change-requests?project=secret',
  '/api/admin/search/evaluated-features',
  '/api/admin/search/evaluated-features?environment=production',
  '/api/admin/metrics/verdicts',
  '/api/admin/metrics/verdicts?verdict=always_on',
  '/api/admin/verdicts',
  '/api/admin/verdicts?feature=secret-flag',
  '/api/admin/clean-ups',
  '/api/admin/clean-ups?project=secret',
  '/api/admin/metrics/flag-debt',
  '/api/admin/metrics/flag-debt?project=secret',
  '/api/admin/code-references/counts',
  '/api/admin/code-references/names',
  '/api/admin/code-references/names?project=secret',
  '/api/admin/api-tokens',
];

describe('the lists of the admin API', () => {
  const world = sharedCountedAdminWorld();
  let owner: { id: number; token: string };
  before(async () => {
    const { api } = world;
    for (const project of ['open', 'secret']) await fill(world, project);
    await syncFeatures(world.db, world.clickhouse);
    owner = await aUser(api, 'None', 'olga');
    await api.post('/api/admin/projects/open/access', { user: 'olga', role: 'Owner' });
  });

  for (const path of LISTS)
    it(`show nothing of another project: ${path}`, async () => {
      const { status, body } = await world.api.get(path, { token: owner.token });
      expect(status).to.be.oneOf([200, 400]);
      if (status === 400) expect.fail(JSON.stringify(body));
      expect(JSON.stringify(body).replaceAll('"toggleName":"secret-flag"', '')).not.to.include('secret');
    });

  it('show to a person with a root role what they hide from others', async () => {
    const { api } = world;
    for (const path of ['/api/admin/projects', '/api/admin/search/features', '/api/admin/search/events']) {
      expect(JSON.stringify((await api.get(path)).body), path).to.include('secret');
      expect(JSON.stringify((await api.get(path, { token: owner.token })).body), path).to.include('open');
    }
    const { body } = await api.get('/api/admin/events', { token: owner.token });
    const { events, totalEvents } = body as { events: unknown[]; totalEvents: number };
    expect(totalEvents).to.equal(events.length);
  });

  it('ask ClickHouse for features of visible projects only', async () => {
    const { api } = world;
    const of = async (token?: string): Promise<string> => {
      const options = token === undefined ? {} : { token };
      return JSON.stringify((await api.get('/api/admin/search/evaluated-features', options)).body);
    };
    expect(await of())
      .to.include('secret-flag')
      .and.to.include('open-flag');
    expect(await of(owner.token))
      .to.include('open-flag')
      .and.not.to.include('secret');
    const series = '/api/admin/metrics/usage?interval=day&feature=secret-flag';
    const hidden = await api.get(series, { token: owner.token });
    expect(hidden.body).to.have.nested.property('series[0].total.yes', 0);
    expect((await api.get(series)).body).to.have.nested.property('series[0].total.yes', 7);
    const total = await api.get('/api/admin/metrics/usage?interval=day', { token: owner.token });
    expect(total.body).to.have.nested.property('series[0].total.yes', 7);
  });

  it('answer to a filter for something hidden as to one for something that does not exist', async () => {
    const { api } = world;
    const filters = operationsOf(api).flatMap(({ operationId, path, query, isVisible }) =>
      isVisible
        ? query.flatMap(({ name }) => (name in VALUES ? [{ operationId, path, name: name as Filter }] : []))
        : [],
    );
    expect(filters).to.have.length.above(18);
    let shown = 0;
    for (const { operationId, path, name } of filters) {
      const answer = async (project: string, call = { token: owner.token }) => {
        const value = encodeURIComponent(VALUES[name](project));
        const { status, body } = await api.get(`${path}?${name}=${value}`, call);
        expect(status, `${operationId} ${name}`).to.equal(200);
        return JSON.stringify(body).replaceAll(project, 'it').replaceAll(TIMES, 'then');
      };
      const nothing = await answer('absent');
      expect(await answer('secret'), `${operationId} ${name}`).to.equal(nothing);
      if ((await answer('open')) !== nothing) shown += 1;
    }
    expect(shown).to.be.above(12);
  });

  it('continue with visible things only, on every page', async () => {
    const { api, db } = world;
    await db.query(
      `insert into features (name, project)
       select p.name || '-' || n, p.name
       from generate_series(1, 1500) as n, (values ('open'), ('secret')) as p (name)`,
    );
    for (const path of ['/api/admin/code-references/names', '/api/admin/projects/open/features']) {
      const { body } = await api.get(path, { token: owner.token });
      expect(JSON.stringify(body)).to.include('open-1500').and.not.to.include('secret');
    }
    const search = '/api/admin/search/features?limit=1000';
    const first = await api.get(search, { token: owner.token });
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await api.get(`${search}&cursor=${nextCursor}`, { token: owner.token });
    expect(second.body).to.include({ nextCursor: null });
    expect(JSON.stringify([first.body, second.body]))
      .to.include('open-999')
      .and.not.to.include('secret');
    await db.query("delete from features where name ~ '-[0-9]+$'");
  });

  it('change at once with the roles of the caller', async () => {
    const { api } = world;
    const names = async (): Promise<string> =>
      JSON.stringify((await api.get('/api/admin/projects', { token: owner.token })).body);
    await eventually(names, (listed) => !listed.includes('secret'));
    await api.post('/api/admin/projects/secret/access', { user: 'olga', role: 'Viewer' });
    await eventually(names, (listed) => listed.includes('secret'));
    await api.delete(`/api/admin/projects/secret/access/${owner.id}/Viewer`);
    await eventually(names, (listed) => !listed.includes('secret'));
  });
});

/** A project with something in every list, named after it. */
async function fill({ api, db, clickhouse }: AdminWorld, project: string): Promise<void> {
  const flag = `${project}-flag`;
  await api.post('/api/admin/projects', { id: project, name: project });
  const content = { name: flag, owner: `${project}-team`, tags: [`team:${project}`] };
  await api.post(`/api/admin/projects/${project}/features`, content);
  await addChange(api, project);
  await api.post('/api/admin/api-tokens', {
    tokenName: `of ${project}`,
    type: 'client',
    environment: 'production',
    projects: [project],
  });
  await db.query(
    `insert into verdicts (subject_type, subject, environment, verdict, sentence, since)
     values ('feature', $1, 'production', 'always_on', 'It is on.', now())`,
    [flag],
  );
  await db.query(`insert into clean_ups (feature_name, stage, since) values ($1, 'found', now())`, [flag]);
  await db.query(
    `insert into feature_last_seen (feature_name, environment, last_seen_at) values ($1, '', now())
     on conflict do nothing`,
    [flag],
  );
  await api.post('/api/admin/code-references', {
    repository: `example.org/${project}`,
    branch: 'main',
    commit: 'a'.repeat(40),
    committedAt: '2026-11-26T10:12:00.000Z',
    references: [{ featureName: flag, path: 'src/a.ts', line: 1, kind: 'call' }],
  });
  const row = {
    kind: 'count',
    environment: 'production',
    app_name: `${project}-app`,
    yes: 7,
    no: 0,
    reports: 1,
  };
  const hour = Math.floor(Date.now() / HOUR_MS) * (HOUR_MS / 1000);
  await clickhouse.insert({
    table: 'block_rows',
    format: 'JSONEachRow',
    values: [{ ...row, feature_name: flag, hour }],
  });
}

async function addChange(api: AdminWorld['api'], project: string): Promise<void> {
  await api.post(`/api/admin/projects/${project}/environments/production/change-requests`, {
    changes: [{ feature: `${project}-flag`, action: 'updateEnabled', payload: { enabled: true } }],
  });
}
