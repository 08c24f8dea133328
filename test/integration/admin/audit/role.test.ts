import { expect } from 'chai';
import { setUp } from '#operations';
import { type Postgres, openPostgres } from '#postgres';
import { readConfig } from '#runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import { type Api, openApi } from '../../../support/admin.ts';
import { callCli } from '../../../support/processes/cli-in-process.ts';
import { type World, createWorld } from '../../../support/world.ts';

describe('the role of the services', () => {
  let world: World;
  let api: Api;
  let service: Postgres;

  before(async () => {
    world = await createWorld();
    const owner = world.env['DATABASE_URL'] ?? '';
    const url = new URL(owner);
    url.username = 'flagmeter_service';
    const config = readConfig({ ...world.env, DATABASE_URL: url.toString(), DATABASE_OWNER_URL: owner });
    await setUp(config, world.log);
    service = openPostgres({ ...config.postgres, log: world.log });
    api = await openApi((await world.run(() => startAdmin(config, world.log))).url);
  });
  after(async () => {
    await service.end();
    await world.dispose();
  });

  const codeOf = (statement: string) =>
    service.query(statement).then(
      () => 'done',
      (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
    );

  it('serves the admin API, and adds entries', async () => {
    const { status } = await api.post('/api/admin/projects/default/features', { name: 'basket' });
    expect(status).to.equal(201);
    const { rows } = await service.query(`select from audit where event = 'feature-created'`);
    expect(rows.length).to.equal(1);
    expect((await callCli(world, 'audit', 'verify')).exitCode).to.equal(0);
  });

  it('can neither change nor delete entries, nor the age at which they are deleted', async () => {
    const DENIED = '42501';
    for (const statement of [
      `update audit_entries set content = '{}'`,
      'delete from audit_entries',
      'truncate audit_entries',
      'drop table audit_entries cascade',
      'alter table audit_entries disable trigger all',
      'update audit_settings set retention_days = 1',
      'insert into audit_settings (retention_days) values (1)',
      'delete from migrations',
      `create or replace function audit_hash(entry audit_entries) returns text language sql as $$ select '' $$`,
    ])
      expect(await codeOf(statement), statement).to.equal(DENIED);
  });

  it('prunes only what is older than the owner allows', async () => {
    const count = async () => (await service.query('select from audit_entries')).rows.length;
    const before = await count();
    expect(await codeOf('select prune_audit()')).to.equal('done');
    expect(await count()).to.equal(before);
  });
});
