import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { exportTo } from '../../../../../services/cli/commands/exchange/export.ts';
import { importFrom } from '../../../../../services/cli/commands/exchange/import.ts';
import { createAdminWorld, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';

const FEATURES = '/api/admin/projects/default/features';

type Schema = { readonly type?: unknown; readonly items?: unknown };
type Document = {
  readonly components: {
    readonly schemas: Readonly<Record<string, { readonly properties: Readonly<Record<string, Schema>> }>>;
  };
};
type Recorded = { readonly data: object | null; readonly preData: object | null };

/** The document names the members, so that a new one is tried too. */
describe('each member of a feature that people may write', () => {
  const world = sharedAdminWorld();

  it('is stored by PUT, with one event that has both states', async () => {
    const members = membersOf('FeatureUpdate');
    expect(members).to.include.members(['owner', 'tags', 'guards', 'impressionData']);
    for (const [member, value] of members.map((name) => [name, valueOf('FeatureUpdate', name)] as const)) {
      const name = `updated-${member.toLowerCase()}`;
      const created = await world.api.post(FEATURES, { name });
      const answer = await world.api.put(`${FEATURES}/${name}`, { [member]: value });
      expect(answer.status, member).to.equal(200);
      expect(answer.body, member).to.deep.include({ [member]: value });
      const read = await world.api.get(`${FEATURES}/${name}`);
      expect(read.body, member).to.deep.include({ [member]: value });
      const event = await lastEventOf(name);
      expect(event?.data, member).to.deep.include({ [member]: value });
      const before = (created.body as Record<string, unknown>)[member];
      expect(event?.preData, member).to.deep.include({ [member]: before });
    }
  });

  it('is stored by POST, with its event', async () => {
    const content = contentOfNew();
    const answer = await world.api.post(FEATURES, { name: 'complete', ...content });
    expect(answer.body).to.deep.include(content);
    expect((await lastEventOf('complete'))?.data).to.deep.include(content);
  });

  it('is in the answer of the search', async () => {
    const content = contentOfNew();
    await world.api.post(FEATURES, { name: 'searched', ...content });
    const { body } = await world.api.get('/api/admin/search/features?search=searched');
    expect((body as { items: unknown[] }).items[0]).to.deep.include(content);
  });

  it('survives export and import', async () => {
    const content = contentOfNew();
    await world.api.post(FEATURES, { name: 'exported', ...content });
    const directory = await mkdtemp(join(tmpdir(), 'flagmeter-content-'));
    const target = await createAdminWorld();
    try {
      const file = join(directory, 'all.json');
      await exportTo(world.config, world.log, file);
      await importFrom(target.config, target.log, { file, isDryRun: false });
      expect((await target.api.get(`${FEATURES}/exported`)).body).to.deep.include(content);
    } finally {
      await target.dispose();
      await rm(directory, { recursive: true });
    }
  });

  function contentOfNew(): Readonly<Record<string, unknown>> {
    const members = membersOf('NewFeature').filter((name) => name !== 'name');
    return Object.fromEntries(members.map((name) => [name, valueOf('NewFeature', name)]));
  }

  async function lastEventOf(feature: string): Promise<Recorded | undefined> {
    const { body } = await world.api.get(`/api/admin/events/${feature}`);
    return (body as { events: Recorded[] }).events[0];
  }

  function propertiesOf(schema: string): Readonly<Record<string, Schema>> {
    return (world.api.document as Document).components.schemas[schema]?.properties ?? {};
  }

  const membersOf = (schema: string): string[] => Object.keys(propertiesOf(schema));

  /** A valid value that differs from the one of a new feature. */
  function valueOf(schema: string, member: string): unknown {
    const { type } = propertiesOf(schema)[member] ?? {};
    if (type === 'boolean') return true;
    if (member === 'guards')
      return [
        {
          metric: 'errors',
          direction: 'up',
          threshold: 0.05,
          above: null,
          turnOff: ['development', 'production'],
        },
      ];
    return type === 'array' ? ['team:checkout'] : 'experiment';
  }
});
