import { rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { describeNightly } from '../../../../support/nightly.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';
import { compileClient, findUnsafe, generateClient, runProgram } from './generated-client.ts';

describeNightly('a client that is generated from the OpenAPI document', () => {
  const world = sharedAdminWorld();
  let program: string;
  before(async () => {
    program = await generateClient(world.api.document, 'examples/admin-client/change-request.ts');
  });
  after(async () => {
    await world.dispose();
    await rm(path.dirname(program), { recursive: true });
  });

  it('compiles under strict rules, and needs neither any nor casts', async () => {
    expect(await compileClient(program)).to.equal('');
    expect(await findUnsafe(program)).to.equal('');
  });

  it('leads a change request through its whole life', async () => {
    const lines = await runProgram(program, { FLAGMETER_URL: world.api.url, ADMIN_TOKEN });
    const name = /example-\d+/.exec(lines.join('\n'))?.[0] ?? '';
    expect(lines).to.deep.equal([
      'Draft, 0 of 1 approvals',
      'In review, 0 of 1 approvals',
      'its author may not approve it: NoAccessError',
      'Approved, 1 of 1 approvals',
      'Scheduled for 2099-12-01T06:00:00.000Z, 1 of 1 approvals',
      'Applied, 1 of 1 approvals',
      `Switch ${name} on: 1 in the list`,
      'production is on',
      `feature-created by ana-${name}`,
      `change-added by ana-${name}`,
      `feature-environment-enabled by ben-${name}`,
    ]);
  });
});
