import { expect } from 'chai';
import { type CatalogueWorld, createCatalogueWorld } from '../../support/servers/upstream/catalogue-world.ts';

const CHANGES = { type: 'experiment', description: null, stale: true, impressionData: true };

describe('the members of a feature in the catalogue of Unleash', () => {
  let of: CatalogueWorld;
  beforeEach(async () => {
    of = await createCatalogueWorld();
    for (const name of [...Object.keys(CHANGES), 'untouched']) of.catalogue.create(name);
    await of.sync();
    of.upstream.requests.length = 0;
  });
  afterEach(() => of.dispose());

  it('are stored when an event names the feature', async () => {
    for (const [name, value] of Object.entries(CHANGES))
      of.catalogue.change(name, 'feature-updated', { [name]: value });
    await of.sync();
    await expectChanges();
  });

  it('are compared with the hourly lists, and only features that differ are read again', async () => {
    for (const [name, value] of Object.entries(CHANGES))
      Object.assign(of.catalogue.features.get(name) ?? {}, { [name]: value });
    await of.world.db.query("update unleash_sync set listed_at = now() - interval '2 hours'");
    await of.sync();
    await expectChanges();
    const read = of.upstream.requests.flatMap(({ path }) => /\/features\/(\w+)\?/.exec(path)?.[1] ?? []);
    expect(read).to.have.members(Object.keys(CHANGES));
  });

  async function expectChanges(): Promise<void> {
    const plain = { type: 'release', description: 'of the upstream', stale: false, impressionData: false };
    const columns = 'name, type, description, stale, impression_data as "impressionData"';
    expect(await of.rowsOf('features', columns)).to.have.deep.members([
      ...Object.entries(CHANGES).map(([name, value]) => ({ ...plain, name, [name]: value })),
      { ...plain, name: 'untouched' },
    ]);
  }
});
