import { expect } from 'chai';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import { type CatalogueWorld, createCatalogueWorld } from '../../support/servers/upstream/catalogue-world.ts';
import { answerJson } from '../../support/servers/upstream/upstream.ts';

describe('the sync of the catalogue of Unleash', () => {
  let of: CatalogueWorld;
  beforeEach(async () => {
    of = await createCatalogueWorld();
  });
  afterEach(() => of.dispose());

  it('stores projects, environments, strategies and features with their strategies and variants', async () => {
    of.catalogue.nameProject('shop', 'The shop');
    of.catalogue.create('basket', { project: 'shop', rollout: '25' });
    expect(await of.sync()).to.equal('changed');
    expect(await of.rowsOf('projects', 'id, name, source')).to.deep.equal([
      { id: 'default', name: 'Default', source: 'unleash' },
      { id: 'shop', name: 'The shop', source: 'unleash' },
    ]);
    expect(await of.rowsOf('environments', 'name, source')).to.deep.equal([
      { name: 'development', source: 'unleash' },
      { name: 'production', source: 'unleash' },
    ]);
    expect(await of.rowsOf('features', 'name, project, type, source, archived_at')).to.deep.equal([
      { name: 'basket', project: 'shop', type: 'release', source: 'unleash', archived_at: null },
    ]);
    const [, production] = await of.rowsOf('feature_environments', 'environment, enabled, strategies');
    expect(production).to.deep.include({ environment: 'production', enabled: true });
    expect(production).to.have.nested.property('strategies[0].parameters.rollout', '25');
    expect(production).to.have.nested.property('strategies[0].variants[0].weight', 1000);
    expect(production).to.have.nested.property('strategies[0].constraints[0].operator', 'IN');
  });

  it('stores what people wrote about reported applications, on every page', async () => {
    const about = { description: 'The checkout', url: 'https://checkout.example' };
    for (let index = 0; index < 1000; index += 1)
      of.catalogue.applications.push({ appName: `app-${index}`, ...about });
    of.catalogue.applications.push({ appName: 'checkout', ...about });
    for (const appName of ['checkout', 'quiet'])
      await of.world.db.query(
        "insert into client_applications (app_name, seen_at, created_by) values ($1, now(), 'relay')",
        [appName],
      );
    await of.sync();
    expect(await of.rowsOf('client_applications', 'app_name, description, url, icon')).to.deep.equal([
      { app_name: 'checkout', ...about, icon: null },
      { app_name: 'quiet', description: null, url: null, icon: null },
    ]);
  });

  it('sends one request if nothing has changed', async () => {
    of.catalogue.create('basket');
    await of.sync();
    of.upstream.requests.length = 0;
    expect(await of.sync()).to.equal('unchanged');
    expect(of.upstream.requests.map(({ path }) => path)).to.deep.equal([
      '/api/admin/search/events?limit=1&offset=0',
    ]);
  });

  it('reads only the features named by events', async () => {
    for (const name of ['one', 'two', 'three']) of.catalogue.create(name);
    await of.sync();
    of.upstream.requests.length = 0;
    of.catalogue.change('two', 'feature-strategy-update', { rollout: '75' });
    expect(await of.sync()).to.equal('changed');
    const read = of.upstream.requests.map(({ path }) => path).filter((path) => path.includes('/features/'));
    expect(read).to.have.members([
      '/api/admin/projects/default/features/two?variantEnvironments=true',
      '/api/admin/features/two/tags',
    ]);
    expect(await of.rolloutOf('two')).to.equal('75');
  });

  it('copies tags, and keeps the owner that flagmeter knows', async () => {
    const tags = [
      { type: 'team', value: 'shop' },
      { type: 'simple', value: 'new' },
    ];
    of.catalogue.createSilently('listed', { tags });
    of.catalogue.createSilently('old', { tags, archivedAt: '2026-10-01T00:00:00.000Z' });
    of.catalogue.create('tagged');
    await of.sync();
    await of.world.db.query("update features set owner = 'Checkout team'");
    of.catalogue.change('tagged', 'feature-tagged', { tags: [{ type: 'team', value: 'shop' }] });
    of.catalogue.change('listed', 'feature-untagged', { tags: [] });
    await of.sync();
    expect(await of.rowsOf('features', 'name, tags, owner')).to.deep.equal([
      { name: 'listed', tags: [], owner: 'Checkout team' },
      { name: 'old', tags: ['simple:new', 'team:shop'], owner: 'Checkout team' },
      { name: 'tagged', tags: ['team:shop'], owner: 'Checkout team' },
    ]);
  });

  it('follows a feature to another project, and a project to another name', async () => {
    of.catalogue.nameProject('shop', 'Shop');
    of.catalogue.create('basket');
    await of.sync();
    of.catalogue.nameProject('shop', 'The new shop');
    of.catalogue.change('basket', 'feature-updated', {});
    of.catalogue.change('basket', 'feature-project-change', { project: 'shop' });
    await of.sync();
    expect(await of.rowsOf('features', 'name, project, vanished_at')).to.deep.equal([
      { name: 'basket', project: 'shop', vanished_at: null },
    ]);
    expect(await of.rowsOf('projects', 'name')).to.deep.equal([
      { name: 'Default' },
      { name: 'The new shop' },
    ]);
  });

  it('finds features that were archived before its first round, page by page, in several rounds', async () => {
    for (let i = 0; i < 1050; i += 1)
      of.catalogue.createSilently(`old-${i}`, { archivedAt: '2026-10-01T00:00:00.000Z' });
    expect(await of.sync()).to.equal('unfinished');
    expect(await of.rowsOf('features', 'name')).to.have.length(1000);
    expect(await of.sync()).to.equal('changed');
    const [row, ...others] = await of.rowsOf('features', 'archived_at, vanished_at');
    expect(others).to.have.length(1049);
    expect(row).to.deep.equal({ archived_at: new Date('2026-10-01T00:00:00.000Z'), vanished_at: null });
  });

  it('archives, revives or marks as vanished each feature that Unleash archives, revives or deletes', async () => {
    for (const name of ['archived', 'deleted', 'revived']) of.catalogue.create(name);
    of.catalogue.archive('revived');
    await of.sync();
    of.catalogue.archive('archived');
    of.catalogue.remove('deleted');
    of.catalogue.change('revived', 'feature-revived', { archivedAt: null });
    await of.sync();
    expect(
      await of.rowsOf(
        'features',
        'name, archived_at is not null as archived, vanished_at is not null as vanished',
      ),
    ).to.deep.equal([
      { name: 'archived', archived: true, vanished: false },
      { name: 'deleted', archived: true, vanished: true },
      { name: 'revived', archived: false, vanished: false },
    ]);
  });

  it('finds a feature that was archived before it was ever seen active', async () => {
    await of.sync();
    of.catalogue.create('short-lived');
    of.catalogue.archive('short-lived');
    await of.sync();
    await of.sync();
    expect(await of.rowsOf('features', 'name, archived_at')).to.deep.equal([
      { name: 'short-lived', archived_at: new Date('2026-11-22T10:00:00.000Z') },
    ]);
  });

  it('finds changes without events by its hourly lists', async () => {
    of.catalogue.create('kept');
    of.catalogue.create('lost');
    await of.sync();
    of.catalogue.createSilently('new');
    of.catalogue.features.delete('lost');
    expect(await of.sync()).to.equal('unchanged');
    await of.world.db.query("update unleash_sync set listed_at = now() - interval '2 hours'");
    expect(await of.sync()).to.equal('changed');
    expect(await of.rowsOf('features', 'name, vanished_at is not null as vanished')).to.deep.equal([
      { name: 'kept', vanished: false },
      { name: 'lost', vanished: true },
      { name: 'new', vanished: false },
    ]);
    expect(await of.rolloutOf('new')).to.equal('50');
  });

  it('marks and disables an environment that Unleash lists no longer, until it does again', async () => {
    await of.sync();
    const environments = [{ name: 'production', type: 'production', enabled: true, sortOrder: 3 }];
    of.upstream.respond = (request, response) => {
      if (request.path === '/api/admin/environments') answerJson(response, { environments });
      else of.catalogue.respond(request, response);
    };
    of.catalogue.record('environment-deleted');
    await of.sync();
    const columns = 'name, enabled, vanished_at is not null as vanished';
    expect(await of.rowsOf('environments', columns)).to.deep.equal([
      { name: 'development', enabled: false, vanished: true },
      { name: 'production', enabled: true, vanished: false },
    ]);
    of.upstream.respond = of.catalogue.respond;
    of.catalogue.record('environment-created');
    await of.sync();
    expect(await of.rowsOf('environments', columns)).to.deep.include({
      name: 'development',
      enabled: true,
      vanished: false,
    });
  });

  it('restores a vanished feature when Unleash has it again', async () => {
    of.catalogue.create('basket');
    await of.sync();
    of.catalogue.remove('basket');
    await of.sync();
    of.catalogue.create('basket');
    await of.sync();
    expect(await of.rowsOf('features', 'name, archived_at, vanished_at')).to.deep.equal([
      { name: 'basket', archived_at: null, vanished_at: null },
    ]);
  });

  it('copies each event once, with its time and its author', async () => {
    of.catalogue.create('basket');
    await of.sync();
    of.catalogue.archive('basket');
    await of.sync();
    const columns = 'created_at, type, created_by, created_by_user_id, source, feature_name';
    const events = await of.rowsOf("events where source = 'unleash'", columns);
    expect(events.map(({ type }) => type)).to.deep.equal([
      'api-token-created',
      'feature-created',
      'feature-archived',
    ]);
    expect(events[2]).to.deep.equal({
      created_at: new Date('2026-11-22T00:00:00.003Z'),
      type: 'feature-archived',
      created_by: 'flagmeter',
      created_by_user_id: null,
      source: 'unleash',
      feature_name: 'basket',
    });
  });

  it('turns a feature of flagmeter with the same name into a feature of Unleash', async () => {
    await of.world.db.query(
      `insert into features (name, project) values ('basket', 'default'), ('own', 'default')`,
    );
    of.catalogue.create('basket');
    await of.sync();
    expect(await of.rowsOf('features', 'name, source')).to.deep.equal([
      { name: 'basket', source: 'unleash' },
      { name: 'own', source: 'flagmeter' },
    ]);
  });

  itNightly('copies 5,000 features', async function () {
    this.timeout(300_000);
    for (let i = 0; i < 5000; i += 1) of.catalogue.createSilently(`feature-${i}`);
    await eventually(
      () => of.sync(),
      (outcome) => outcome === 'unchanged',
      280_000,
    );
    expect(await of.rowsOf('features', 'name')).to.have.length(5000);
    of.upstream.requests.length = 0;
    expect(await of.sync()).to.equal('unchanged');
    expect(of.upstream.requests).to.have.length(1);
  });
});
