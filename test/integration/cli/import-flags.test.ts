import path from 'node:path';
import { expect } from 'chai';
import { sharedAdminWorld } from '../../support/admin-api/admin.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';

const FILE = path.resolve('test/support/senders/sdks/openfeature/flags.flagd.json');

describe('flagmeter import with flags of flagd', () => {
  const world = sharedAdminWorld();

  it('creates features that are on or off in the environment, and reports what it leaves out', async () => {
    const { output } = await callCli(world, 'import', FILE, '--environment', 'production');
    expect(output)
      .to.match(/^features +5 +0$/m)
      .and.include('2 targeting were omitted');
    for (const [name, enabled] of [
      ['basket', true],
      ['retired', false],
    ] as const) {
      const { body } = await world.api.get(`/api/admin/projects/default/features/${name}`);
      expect(body)
        .to.have.property('environments')
        .that.deep.includes({ name: 'production', enabled, lastSeenAt: null });
    }
  });

  it('changes nothing the second time', async () => {
    const { output } = await callCli(
      world,
      'import',
      FILE,
      '--format',
      'flagd',
      '--environment',
      'production',
    );
    expect(output).to.match(/^features +0 +5$/m);
  });
});
