import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportTo } from '../../../../services/cli/commands/exchange/export.ts';
import { importFrom } from '../../../../services/cli/commands/exchange/import.ts';
import { type AdminWorld, aFeature, aUser, createAdminWorld } from '../../../support/admin-api/admin.ts';
import { stepAsRead } from '../../../support/admin-api/change-requests.ts';

const PATH = '/api/admin/projects/shop/change-requests';

describe('export and import', () => {
  let directory: string;
  let file: string;
  let source: AdminWorld;
  let target: AdminWorld;
  let ana: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flagmeter-exchange-'));
    file = join(directory, 'all.json');
    source = await createAdminWorld(withKey());
    target = await createAdminWorld(withKey());
    ana = await fill(source);
    // Before that, another user could read the existing file.
    await writeFile(file, 'old', { mode: 0o644 });
    await chmod(file, 0o644);
    await exportTo(source.config, source.log, file);
  });
  after(async () => {
    await source.dispose();
    await target.dispose();
    await rm(directory, { recursive: true });
  });

  it('moves everything to another instance, tokens included', async () => {
    // The target already has other users, so user ids differ.
    await aUser(target.api, 'Viewer', 'somebody');
    await importFrom(target.config, target.log, { file, isDryRun: false });
    for (const path of [
      '/api/admin/projects/shop/features',
      '/api/admin/projects/shop/features?archived=true',
      '/api/admin/strategies',
      '/api/admin/events/f',
    ]) {
      const read = async ({ api }: AdminWorld) => withoutIds((await api.get(path, { token: ana })).body);
      expect(await read(target), path).to.deep.equal(await read(source));
    }
    const { body } = await target.api.get('/api/admin/projects/shop/features/f');
    expect(body).to.deep.include({ owner: 'Checkout team', tags: ['team:a', 'team:b'] });
    const requests = async ({ api }: AdminWorld) => {
      const listed = (await api.get(PATH)).body as { id: number }[];
      return Promise.all(listed.map(async ({ id }) => withoutIds((await api.get(`${PATH}/${id}`)).body)));
    };
    expect(await requests(target)).to.deep.equal(await requests(source));
    expect(await grantsOf(target)).to.deep.equal(await grantsOf(source));
    expect(await acknowledged(target)).to.deep.equal(await acknowledged(source));
    const feedback = async ({ api }: AdminWorld) => withoutIds((await api.get('/api/admin/feedback')).body);
    expect(await feedback(target)).to.deep.equal(await feedback(source));
  });

  it('pauses imported subscriptions until they get an address, and then shows a new secret', async () => {
    const path = '/api/admin/notifications';
    const { subscriptions } = (await target.api.get(path)).body as { subscriptions: { id: number }[] };
    expect(subscriptions).to.have.length(1);
    expect(subscriptions[0]).to.deep.include({
      name: 'Clean-up',
      host: 'hooks.example.org',
      enabled: false,
      owner: 'Checkout team',
      problem: 'It was imported without its address and secret: set its url.',
    });
    const one = `${path}/${subscriptions[0]?.id ?? ''}`;
    expect((await target.api.put(one, { enabled: true })).status).to.equal(400);
    const set = await target.api.put(one, { enabled: true, url: 'https://hooks.example.org/new' });
    expect(set.body).to.deep.include({ enabled: true, problem: null });
    expect((set.body as { secret: string }).secret).to.match(/^whsec_/);
    const again = await target.api.put(one, { url: 'https://hooks.example.org/newer' });
    expect(again.body).to.deep.include({ enabled: true, secret: null });
  });

  it('adds nothing the second time, nor to the source instance', async () => {
    for (const { config, log } of [target, source]) {
      const { created } = await importFrom(config, log, { file, isDryRun: false });
      expect(
        Object.values(created).every((count) => count === 0),
        JSON.stringify(created),
      ).to.equal(true);
    }
  });

  it('exports again what it imported', async () => {
    const other = join(directory, 'again.json');
    await exportTo(target.config, target.log, other);
    const parts = [
      'environments',
      'roles',
      'project_roles',
      'features',
      'feature_environments',
      'favorite_features',
      'strategies',
      'feedback',
      'change_request_settings',
      'change_requests',
      'verdicts',
    ];
    const partsOf = async (name: string) => {
      const document = JSON.parse(await readFile(name, 'utf8')) as Record<string, unknown>;
      return Object.fromEntries(parts.map((part) => [part, document[part]]));
    };
    expect(await partsOf(other)).to.deep.equal(await partsOf(file));
  });

  it('fills in the defaults of columns that a document leaves out', async () => {
    const short = join(directory, 'short.json');
    const features = [{ name: 'short', project: 'default' }];
    await writeFile(short, JSON.stringify({ format: 'flagmeter', version: 1, features }));
    const { created } = await importFrom(target.config, target.log, { file: short, isDryRun: false });
    expect(created).to.include({ features: 1 });
    const { body } = await target.api.get('/api/admin/projects/default/features/short');
    expect(body).to.include({ type: 'release', description: null, stale: false, impressionData: false });
    expect(body).to.have.property('createdAt').that.is.a('string');
  });

  it('only counts in a dry run', async () => {
    const fresh = await createAdminWorld();
    try {
      const counted = await importFrom(fresh.config, fresh.log, { file, isDryRun: true });
      expect(counted.created).to.include({
        projects: 1,
        features: 2,
        strategies: 1,
        feedback: 1,
        change_requests: 1,
      });
      expect((await fresh.api.get('/api/admin/projects/shop/features')).status).to.equal(404);
      expect(await importFrom(fresh.config, fresh.log, { file, isDryRun: false })).to.deep.equal(counted);
    } finally {
      await fresh.dispose();
    }
  });

  it('makes the file readable only for its owner, and contains no secrets', async () => {
    expect((await stat(file)).mode & 0o777).to.equal(0o600);
    expect(await readFile(file, 'utf8'))
      .to.include('hooks.example.org')
      .and.not.include(ana)
      .and.not.include('/flags-of-shop');
  });

  it('imports nothing from a document with a mistake', async () => {
    const bad = join(directory, 'bad.json');
    const attempt = async (document: unknown): Promise<string> => {
      await writeFile(bad, typeof document === 'string' ? document : JSON.stringify(document));
      return importFrom(target.config, target.log, { file: bad, isDryRun: false }).then(
        () => 'taken',
        () => 'rejected',
      );
    };
    const head = { format: 'flagmeter', version: 1 };
    expect(await attempt('{')).to.equal('rejected');
    expect(await attempt({ format: 'other', version: 1 })).to.equal('rejected');
    expect(await attempt({ ...head, features: [{ name: 7, project: 'default' }] })).to.equal('rejected');
    const projects = [{ id: 'half', name: 'Half' }];
    const features = [{ name: 'lost', project: 'nowhere' }];
    expect(await attempt({ ...head, projects, features })).to.equal('rejected');
    const { body } = await target.api.get('/api/admin/projects');
    expect(JSON.stringify(body)).not.to.contain('half');
  });
});

function withKey() {
  return { SECRETS_KEY: randomBytes(32).toString('base64') };
}

async function acknowledged({ api }: AdminWorld): Promise<unknown> {
  return withoutIds((await api.get('/api/admin/verdicts')).body);
}

/** The roles that Admins have added, and who has which role in the project, by hand. */
async function grantsOf({ api }: AdminWorld): Promise<unknown> {
  const { body } = await api.get('/api/admin/projects/shop/access');
  const access = (body as { access: { userName: string; fromGroups: boolean }[] }).access
    .filter(({ fromGroups }) => !fromGroups)
    .map((role) => ({ ...role, userId: undefined }));
  expect(access).to.have.length(2);
  return { access, roles: (await api.get('/api/admin/roles')).body };
}

/** Creates one item of everything. Returns a personal token. */
async function fill({ api, db }: AdminWorld): Promise<string> {
  await api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
  await aFeature(api, 'f', 'shop');
  await aFeature(api, 'old', 'shop');
  await api.put('/api/admin/projects/shop/features/f', {
    owner: 'Checkout team',
    tags: ['team:a', 'team:b'],
  });
  await api.delete('/api/admin/archive/old');
  const { token } = await aUser(api, 'Admin', 'ana');
  const ben = await aUser(api, 'Editor', 'ben');
  await api.put('/api/admin/roles/Approver', {
    description: 'Approves',
    permissions: ['READ', 'APPROVE_CHANGE_REQUEST'],
  });
  await api.post('/api/admin/projects/shop/access', {
    user: 'ben',
    role: 'Owner',
    environments: ['development'],
  });
  await api.post('/api/admin/projects/shop/access', { user: 'ben', role: 'Approver' });
  await db.query(
    `insert into project_roles (user_id, project, role, from_groups)
     select id, 'shop', 'Viewer', true
     from users
     where username = 'ben'`,
  );
  await api.post('/api/admin/projects/shop/features/f/favorites', undefined, { token });
  await api.post('/api/admin/strategies', { name: 'mine', parameters: [] });
  await api.post('/api/admin/feedback', { category: 'search' });
  await api.post('/api/admin/notifications', {
    name: 'Clean-up',
    channel: 'webhook',
    url: 'https://hooks.example.org/flags-of-shop',
    causes: ['verdict-appeared'],
    verdicts: ['always_on'],
    owner: 'Checkout team',
  });
  const { rows } = await db.query<{ id: string }>(
    `insert into verdicts (subject_type, subject, environment, verdict, sentence, since)
     values ('feature', 'f', 'production', 'always_on', 'Always on.', now() - interval '1 day')
     returning id`,
  );
  await api.put(
    `/api/admin/verdicts/${rows[0]?.id ?? ''}/acknowledgement`,
    { reason: 'It goes next week.', until: '2099-01-01T00:00:00Z' },
    { token },
  );
  const changes = [{ feature: 'f', action: 'updateEnabled', payload: { enabled: true } }];
  const path = '/api/admin/projects/shop/environments/production/change-requests';
  const { body } = await api.post(path, { changes, title: 'On' }, { token: ben.token });
  const { id } = body as { id: number };
  const lead = (state: string, more: object = {}) =>
    stepAsRead(api, { path: `${PATH}/${id}`, change: { state, ...more }, token });
  await api.put(`${PATH}/${id}/state`, { state: 'In review', comment: 'please' }, { token: ben.token });
  await lead('Approved');
  await lead('Scheduled', { scheduledAt: '2099-01-01T00:00:00Z' });
  return token;
}

/** Each instance assigns its own numbers. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !['id', 'createdByUserId', 'groupId'].includes(key))
      .map(([key, item]) => [key, withoutIds(item)]),
  );
}
