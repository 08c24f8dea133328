import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { syncFeatures } from '#fleet/catalogue';
import { type Job, createRegistry } from '#base/runtime';
import { importFrom } from '../../../services/cli/commands/exchange/import.ts';
import { startCatalogue } from '../../../services/unleash-bridge/catalogue/start-catalogue.ts';
import { type AdminWorld, createAdminWorld, createCountedAdminWorld } from '../../support/admin-api/admin.ts';
import { eventually } from '../../support/eventually.ts';
import { itNightly } from '../../support/nightly.ts';
import type { Front } from './front.ts';

const FEATURES = '/api/admin/projects/default/features';
const INTERVAL_MS = 1000;
const ABOUT = {
  description: 'The checkout',
  url: 'https://checkout.example',
  color: 'red',
  icon: 'cart',
  strategies: [],
};

/** Of an Unleash that has no features yet. */
export function testCatalogue(front: () => Front): void {
  let unleash: Front['unleash'];
  let world: AdminWorld;
  let sync: Job;
  before(async () => {
    ({ unleash } = front());
    world = await createCountedAdminWorld({
      UNLEASH_URL: unleash.address,
      UNLEASH_ADMIN_TOKEN: unleash.secrets.admin,
    });
    await unleash.call('POST', '/api/admin/metrics/applications/checkout', ABOUT);
    await world.db.query(
      "insert into client_applications (app_name, seen_at, created_by) values ('checkout', now(), 'relay')",
    );
    sync = startCatalogue({
      unleash: { url: unleash.address, adminToken: unleash.secrets.admin },
      postgres: world.config.postgres,
      registry: createRegistry(),
      log: world.log,
      pauseMs: INTERVAL_MS,
    });
  });
  after(async () => {
    await sync.stop();
    await world.dispose();
  });

  it('contains what people wrote about an application there', async () => {
    const { body } = await eventually(
      () => world.api.get('/api/admin/metrics/applications'),
      (answer) => JSON.stringify(answer.body).includes(ABOUT.url),
    );
    expect(body).to.have.nested.property('applications[0]').that.deep.includes(ABOUT);
  });

  it('contains a feature created there, with its strategies, constraints and variants', async () => {
    await unleash.createFeature('basket', [
      {
        name: 'flexibleRollout',
        parameters: { rollout: '25', stickiness: 'default', groupId: 'basket' },
        constraints: [{ contextName: 'country', operator: 'IN', values: ['de'] }],
        variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
      },
    ]);
    const [strategy] = await eventually(
      () => strategiesOf('basket'),
      (strategies) => strategies.length === 1,
    );
    expect(strategy).to.deep.include({ name: 'flexibleRollout', disabled: false, segments: [] });
    expect(strategy).to.have.nested.property('parameters.rollout', '25');
    expect(strategy).to.have.nested.property('constraints[0].values[0]', 'de');
    expect(strategy).to.have.nested.property('variants[0].weight', 1000);
    const { body } = await eventually(
      () => world.api.get(`${FEATURES}/basket`),
      (answer) => (answer.body as { environments: { enabled: boolean }[] }).environments[1]?.enabled === true,
    );
    expect(body).to.include({ name: 'basket', type: 'release', source: 'unleash', archived: false });
  });

  it('contains the tags that a feature has there, and no others', async () => {
    const tagsOf = async ({ api } = world) =>
      ((await api.get(`${FEATURES}/basket`)).body as { tags: string[] }).tags.join();
    await unleash.call('POST', '/api/admin/features/basket/tags', { type: 'simple', value: 'other' });
    await eventually(tagsOf, (tags) => tags === 'simple:other');
    await unleash.call('PUT', '/api/admin/features/basket/tags', {
      addedTags: [{ type: 'simple', value: 'shop' }],
      removedTags: [{ type: 'simple', value: 'other' }],
    });
    await eventually(tagsOf, (tags) => tags === 'simple:shop');
  });

  it('is imported from an export file into another instance, and changes nothing here', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'flagmeter-import-')), 'production.json');
    const other = await createAdminWorld();
    try {
      const asked = { environment: 'production', project: 'default' };
      const exported = await unleash.call('POST', '/api/admin/features-batch/export', asked);
      await writeFile(file, JSON.stringify(exported));
      expect((await importFrom(world.config, world.log, { file, isDryRun: false })).created).to.include({
        features: 0,
        feature_environments: 0,
      });
      const { created, omitted } = await importFrom(other.config, other.log, { file, isDryRun: false });
      expect(created).to.include({ features: 1, feature_environments: 1 });
      expect(omitted).to.include({ featureStrategies: 0, featureEnvironments: 0, segments: 0 });
      expect(await strategiesOf('basket', other)).to.deep.equal(await strategiesOf('basket'));
      expect((await other.api.get(`${FEATURES}/basket`)).body).to.deep.nested.include({
        tags: ['simple:shop'],
        'environments[1].enabled': true,
      });
    } finally {
      await other.dispose();
      await rm(dirname(file), { recursive: true });
    }
  });

  it('makes a feature of Unleash known to analysts, so that it is no unknown flag', async () => {
    await syncFeatures(world.db, world.clickhouse);
    expect(await world.query('select feature_name, project, enabled_in from features')).to.deep.equal([
      { feature_name: 'basket', project: 'default', enabled_in: ['production'] },
    ]);
  });

  it('has its environments, and its events with their authors', async () => {
    const environments = await unleash.call<{ environments: { name: string }[] }>(
      'GET',
      '/api/admin/environments',
    );
    const { rows } = await world.db.query(
      "select name from environments where source = 'unleash' order by sort_order",
    );
    expect(rows).to.deep.equal(environments.environments.map(({ name }) => ({ name })));
    const { body } = await eventually(
      () => world.api.get('/api/admin/events/basket'),
      (answer) => typesIn(answer.body).includes('feature-environment-enabled'),
    );
    expect(typesIn(body)).to.include.members(['feature-created', 'feature-strategy-add']);
  });

  it('is changed there when a feature is switched through flagmeter', async () => {
    const path = `${FEATURES}/basket/environments/production`;
    expect((await world.api.post(`${path}/off`)).status).to.equal(200);
    expect(await isEnabledThere()).to.equal(false);
    expect((await world.api.post(`${path}/on`)).status).to.equal(200);
    expect(await isEnabledThere()).to.equal(true);
  });

  it('is changed there when a feature is archived through flagmeter, with one event', async () => {
    expect((await world.api.delete('/api/admin/archive/basket')).status).to.equal(200);
    const archived = await unleash.call<{ features: { name: string }[] }>(
      'GET',
      '/api/admin/search/features?archived=IS:true',
    );
    expect(archived.features.map(({ name }) => name)).to.deep.equal(['basket']);
    await eventually(
      () => outdated(),
      (count) => count === 0,
    );
    const { rows } = await world.db.query(
      "select created_by from events where feature_name = 'basket' and type = 'feature-archived'",
    );
    expect(rows).to.have.length(1);
    expect((await world.api.get(`${FEATURES}/basket`)).body).to.include({ archived: true });
  });

  it('rejects changes of an archived feature with 409 and the reason of Unleash', async () => {
    const answer = await world.api.post(`${FEATURES}/basket/environments/production/on`);
    expect(answer.status).to.equal(409);
    expect((answer.body as { message: string }).message).to.match(/^Unleash rejected this: .*archived/);
  });

  it('marks features that were deleted there', async () => {
    await unleash.call('DELETE', '/api/admin/archive/basket');
    await eventually(
      async () => ({
        vanished: (await world.db.query('select from features where vanished_at is not null')).rowCount,
        // For the message of a failure: Unleash deletes a feature even if it fails to write the event.
        outdated: await outdated(),
        newestOfUnleash: await newestEvents(),
      }),
      ({ vanished }) => vanished === 1,
    );
    expect((await world.api.get(`${FEATURES}/basket`)).body).to.include({ archived: true });
  });

  itNightly('is copied again after Unleash was killed and restarted', async () => {
    await unleash.kill();
    await unleash.restart();
    await unleash.createFeature('later');
    await eventually(
      async () => (await world.api.get(`${FEATURES}/later`)).status,
      (status) => status === 200,
    );
  });

  async function newestEvents(): Promise<string[]> {
    return typesIn(await unleash.call('GET', '/api/admin/search/events?limit=3'));
  }

  function typesIn(body: unknown): string[] {
    return (body as { events: { type: string }[] }).events.map(({ type }) => type);
  }

  async function strategiesOf(feature: string, { db } = world): Promise<object[]> {
    const { rows } = await db.query<{ strategies: object[] }>(
      "select strategies from feature_environments where feature_name = $1 and environment = 'production'",
      [feature],
    );
    return rows[0]?.strategies ?? [];
  }

  async function isEnabledThere(): Promise<boolean | undefined> {
    const feature = await unleash.call<{ environments: { name: string; enabled: boolean }[] }>(
      'GET',
      `${FEATURES}/basket`,
    );
    return feature.environments.find(({ name }) => name === 'production')?.enabled;
  }

  async function outdated(): Promise<number> {
    return (await world.db.query('select from unleash_outdated_features')).rowCount ?? 0;
  }
}
