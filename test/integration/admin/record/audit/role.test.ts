import { expect } from 'chai';
import { type Finding, examine, setUp } from '#tooling/operations';
import { ADVISORY_LOCKS, type Postgres, inTransaction, openPostgres } from '#base/postgres';
import { type Config, FlagmeterError } from '#base/runtime';
import { setUpPostgres } from '../../../../../packages/tooling/operations/setup/set-up.ts';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, openApi } from '../../../../support/admin-api/admin.ts';
import { findingOf } from '../../../../support/stack/doctor.ts';
import { configWithServiceRole } from '../../../../support/stack/engines/service-role.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';
import { sharedWorld } from '../../../../support/world.ts';

describe('the role of the services', () => {
  const world = sharedWorld();
  let api: Api;
  let service: Postgres;
  let config: Config;

  before(async () => {
    config = configWithServiceRole(world);
    await setUp(config, world.log);
    service = openPostgres({ ...config.postgres, log: world.log });
    api = await openApi((await world.run(() => startAdmin(config, world.log))).url);
  });
  after(() => service.end());

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

  it('cannot migrate, and names the setting for the role that can', async () => {
    const refusal: unknown = await setUp({ ...config, postgresOwner: config.postgres }, world.log).then(
      () => 'done',
      (error: unknown) => error,
    );
    expect(refusal)
      .to.be.instanceOf(FlagmeterError)
      .with.property('message')
      .that.includes('DATABASE_OWNER_URL');
  });

  it('prunes only what is older than the owner allows', async () => {
    const count = async () => (await service.query('select from audit_entries')).rows.length;
    const before = await count();
    expect(await codeOf('select prune_audit()')).to.equal('done');
    expect(await count()).to.equal(before);
  });

  it('satisfies flagmeter doctor, which warns of the owner and of further rights', async () => {
    const ofDoctor = (await examine(config, world.log)).find(({ check }) => check === 'audit');
    expect(ofDoctor).to.deep.include({
      state: 'ok',
      text: 'The role flagmeter_service can add entries to the audit, but not change or delete them.',
    });
    const owner = await judged(world.config);
    expect(owner).to.include({ state: 'warn' });
    expect(owner.text).to.include('because it owns them');
    expect(owner.advice).to.include('DATABASE_OWNER_URL');
    const database = new URL(world.config.postgres.url).pathname.slice(1);
    for (const right of [
      ...['update (content)', 'delete', 'truncate', 'trigger'].map(
        (privilege) => `${privilege} on audit_entries`,
      ),
      'delete on audit',
      'insert on audit_settings',
      'update on migrations',
      `temporary on database ${database}`,
      'create on schema public',
    ]) {
      await world.db.query(`grant ${right} to flagmeter_service`);
      const found = await judged(config);
      expect(found.state, right).to.equal('warn');
      expect(found.advice, right).to.include('flagmeter migrate');
      await setUpPostgres(config, world.log);
      expect((await judged(config)).state, right).to.equal('ok');
    }
  });

  it('has no right by a function, which flagmeter doctor would name', async () => {
    await world.db.query(
      `create function cut() returns void language sql security definer as 'delete from audit_entries'`,
    );
    expect((await judged(config)).text).to.include(
      'the function cut(), which acts with the rights of its owner',
    );
    await world.db.query('drop function cut');
  });

  it('can set its own path, which deceives neither doctor nor verify', async () => {
    const before = (await callCli({ ...world, config }, 'audit', 'verify')).output;
    const path = `alter role flagmeter_service in database ${new URL(config.postgres.url).pathname.slice(1)}`;
    await world.db.query(`
      create schema evil;
      create table evil.audit_entries as table public.audit_entries with no data;
      create table evil.audit_log_position as select 0::bigint as sequence;
      create table evil.audit_settings as select 1 as retention_days;
      create view evil.pg_roles as select * from pg_catalog.pg_roles limit 0;
      create function evil.has_table_privilege(oid, oid, text) returns boolean return false;
      grant usage on schema evil to flagmeter_service;
      grant select on all tables in schema evil to flagmeter_service;
      grant delete on public.audit_entries to flagmeter_service`);
    await service.query(`${path} set search_path = evil, pg_catalog, public`);
    const found = await judged(config);
    const verified = (await callCli({ ...world, config }, 'audit', 'verify')).output;
    await service.query(`${path} reset search_path`);
    await world.db.query(`
      drop schema evil cascade;
      revoke delete on public.audit_entries from flagmeter_service`);
    expect(found.state).to.equal('warn');
    expect(found.text).to.include('delete on audit_entries');
    expect(verified).to.equal(before);
  });

  it('is stopped by no lock that another role can hold who may connect', async () => {
    const { status } = await inTransaction(world.db, async (stranger) => {
      for (const number of [4_242_005, ...Object.values(ADVISORY_LOCKS)])
        await stranger.query('select pg_try_advisory_xact_lock($1)', [number]);
      return api.post('/api/admin/projects/default/features', { name: 'unstopped' });
    });
    expect(status).to.equal(201);
  });

  function judged(of: Config): Promise<Finding> {
    return findingOf('audit', of);
  }
});
