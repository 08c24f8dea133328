import { expect } from 'chai';
import { FlagmeterError } from '#base/runtime';
import { aUser, sharedAdminWorld } from '../../support/admin-api/admin.ts';
import { eventually } from '../../support/eventually.ts';
import { callCli, rowsOf } from '../../support/stack/processes/cli-in-process.ts';

describe('flagmeter role and flagmeter access', () => {
  const world = sharedAdminWorld();

  before(() => world.api.post('/api/admin/projects', { id: 'shop', name: 'The shop' }));

  it('list roles with their permissions, also added ones', async () => {
    const approver = { description: 'Only approves', permissions: ['READ', 'APPROVE_CHANGE_REQUEST'] };
    await world.api.put('/api/admin/roles/Approver', approver);
    const roles = rowsOf((await callCli(world, 'role', 'list')).output);
    expect(roles.map(({ name }) => name)).to.have.members(['Viewer', 'Editor', 'Owner', 'Approver']);
    expect(roles.find(({ name }) => name === 'Approver')).to.deep.equal({
      name: 'Approver',
      permissions: 'READ,APPROVE_CHANGE_REQUEST',
      description: 'Only approves',
    });
  });

  it('give and take a role, which running services notice at once', async () => {
    const { id, token } = await aUser(world.api, 'None', 'ana');
    const status = async () => (await world.api.get('/api/admin/projects/shop', { token })).status;
    expect(await status()).to.equal(404);

    const granted = await callCli(world, 'access', 'grant', 'shop', 'ana', 'Viewer');
    expect(granted.output).to.equal(`ana (user ${id}, by tokens only) has the role Viewer in shop.`);
    await eventually(status, (seen) => seen === 200);
    expect(await accessOf('ana')).to.deep.equal([
      {
        id: String(id),
        user: 'ana',
        'signed in by': 'tokens only',
        role: 'Viewer',
        environments: '*',
        'given by': 'people',
      },
    ]);

    const { output } = await callCli(world, 'access', 'revoke', 'shop', 'ana', 'Viewer');
    expect(output).to.equal('ana no longer has the role Viewer in shop.');
    await eventually(status, (seen) => seen === 404);
    expect(await accessOf('ana')).to.deep.equal([]);
  });

  it('limit a role to environments, replace these, and take it by the id of the user', async () => {
    const { id } = await aUser(world.api, 'None', 'ben');
    const grant = ['access', 'grant', 'shop', 'ben', 'Editor', '--environment'];
    await callCli(world, ...grant, 'development', 'production');
    expect((await accessOf('ben')).map(({ environments }) => environments)).to.deep.equal([
      'development,production',
    ]);
    await callCli(world, ...grant, 'development');
    expect((await accessOf('ben')).map(({ environments }) => environments)).to.deep.equal(['development']);
    await callCli(world, 'access', 'revoke', 'shop', String(id), 'Editor');
    expect(await accessOf('ben')).to.deep.equal([]);
  });

  it('write the events of the API in the name of flagmeter, and name the command in the audit', async () => {
    await aUser(world.api, 'None', 'cleo');
    await callCli(world, 'access', 'grant', 'shop', 'cleo', 'Owner');
    await callCli(world, 'access', 'revoke', 'shop', 'cleo', 'Owner');

    const { rows } = await world.db.query(
      `select operation, event, user_name, project, coalesce(after, before)->>'role' as role
       from audit
       where coalesce(after, before)->>'userName' = 'cleo'
       order by sequence`,
    );
    const common = { user_name: 'system', project: 'shop', role: 'Owner' };
    expect(rows).to.deep.equal([
      { operation: 'flagmeter access grant', event: 'project-access-added', ...common },
      { operation: 'flagmeter access revoke', event: 'project-access-removed', ...common },
    ]);
    const { rows: events } = await world.db.query(
      `select type, created_by
       from events
       where coalesce(data, pre_data)->>'userName' = 'cleo'
       order by id`,
    );
    expect(events).to.deep.equal([
      { type: 'project-access-added', created_by: 'system' },
      { type: 'project-access-removed', created_by: 'system' },
    ]);
  });

  it('name what does not exist', async () => {
    await aUser(world.api, 'None', 'dora');
    for (const [args, code, message] of [
      [['list', 'unknown'], 'not-found', 'There is no project unknown.'],
      [['grant', 'unknown', 'dora', 'Viewer'], 'not-found', 'There is no project unknown.'],
      [
        ['grant', 'shop', 'nobody', 'Viewer'],
        'usage',
        'There is no user with the e-mail address or username nobody.',
      ],
      [['grant', 'shop', 'dora', 'King'], 'usage', 'There is no role King.'],
      [
        ['grant', 'shop', 'dora', 'Viewer', '--environment', 'development', 'moon'],
        'usage',
        'One of these environments is unknown: development, moon.',
      ],
      [['revoke', 'unknown', 'dora', 'Viewer'], 'not-found', 'There is no project unknown.'],
      [
        ['revoke', 'shop', 'dora', 'Viewer'],
        'not-found',
        'dora does not have the role Viewer in shop: flagmeter access list shop shows who has which',
      ],
    ] as const) {
      const outcome = await callCli(world, 'access', ...args).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(FlagmeterError).with.property('code', code);
      expect(outcome).to.have.property('message', message);
    }
    expect(await accessOf('dora')).to.deep.equal([]);
  });

  async function accessOf(user: string): Promise<Record<string, string>[]> {
    const { output } = await callCli(world, 'access', 'list', 'shop');
    return rowsOf(output).filter((row) => row['user'] === user);
  }
});
