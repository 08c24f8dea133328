import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type AdminWorld, aFeature, createAdminWorld } from '../../../support/admin-api/admin.ts';
import { anUnleashExport } from '../../../support/builders/unleash-export.ts';
import { callCli } from '../../../support/stack/processes/cli-in-process.ts';

describe('flagmeter import with an export of Unleash', () => {
  let world: AdminWorld;
  let directory: string;
  let file: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'flagmeter-import-'));
    file = join(directory, 'production.json');
  });
  beforeEach(async () => {
    world = await createAdminWorld();
    await writeFile(file, JSON.stringify(anUnleashExport()));
  });
  afterEach(() => world.dispose());
  after(() => rm(directory, { recursive: true }));

  it('creates features with project, state, strategies and variants, in one transaction with one event', async () => {
    const { output } = await callCli(world, 'import', file);
    expect(output).to.match(/^features +2 +0$/m);
    expect(output).to.include('1 segments were omitted');
    const { body } = await world.api.get('/api/admin/projects/shop/features/basket');
    expect(body).to.deep.include({ name: 'basket', description: 'The basket', source: 'flagmeter' });
    expect(body).to.deep.nested.include({
      'environments[1]': { name: 'production', enabled: true, lastSeenAt: null },
    });
    const archived = await world.api.get('/api/admin/projects/shop/features?archived=true');
    expect(archived.body).to.have.nested.property('features[0].name', 'old');
    expect(await stateOf('basket')).to.have.nested.property('strategies[0].constraints[0].values[0]', 'de');
    const { rows } = await world.db.query('select type from events');
    expect(rows).to.deep.equal([{ type: 'features-imported' }]);
  });

  it('writes nothing in a dry run', async () => {
    const { output } = await callCli(world, 'import', file, '--dry-run');
    expect(output)
      .to.match(/^features +2 +0$/m)
      .and.include('Nothing was written.');
    expect((await world.api.get('/api/admin/projects/shop/features')).status).to.equal(404);
  });

  it('changes nothing that is here, and reports it as existing', async () => {
    await world.api.post('/api/admin/projects', { id: 'mine', name: 'Mine' });
    await aFeature(world.api, 'basket', 'mine');
    await world.api.post('/api/admin/projects/mine/features/basket/environments/production/on');
    await world.api.post('/api/admin/projects/mine/features/basket/environments/production/off');
    const { output } = await callCli(world, 'import', file);
    expect(output).to.match(/^features +1 +1$/m);
    expect((await world.api.get('/api/admin/projects/mine/features/basket')).body).to.include({
      description: null,
    });
    expect(await stateOf('basket')).to.deep.equal({ enabled: false, strategies: [] });
    const again = await callCli(world, 'import', file);
    expect(again.output).to.match(/^features +0 +2$/m);
  });

  it('adds another environment of the same features', async () => {
    await callCli(world, 'import', file);
    const { featureEnvironments, ...rest } = anUnleashExport();
    const inTest = featureEnvironments.map((state) => ({ ...state, environment: 'test' }));
    await writeFile(file, JSON.stringify({ ...rest, featureEnvironments: inTest }));
    const { output } = await callCli(world, 'import', file);
    expect(output)
      .to.match(/^environments +1 +0$/m)
      .and.match(/^feature_environments +2 +0$/m);
  });

  it('adds no state to a feature that Unleash owns', async () => {
    await world.db.query("insert into projects (id, name, source) values ('shop', 'Shop', 'unleash')");
    await world.db.query("insert into features (name, project, source) values ('basket', 'shop', 'unleash')");
    const { output } = await callCli(world, 'import', file);
    expect(output).to.match(/^feature_environments +1 +1$/m);
    expect(await stateOf('basket')).to.equal(undefined);
  });

  async function stateOf(feature: string): Promise<object | undefined> {
    const { rows } = await world.db.query<object>(
      "select enabled, strategies from feature_environments where feature_name = $1 and environment = 'production'",
      [feature],
    );
    return rows[0];
  }
});
