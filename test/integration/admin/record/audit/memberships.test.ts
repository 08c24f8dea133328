import { expect } from 'chai';
import pg from 'pg';
import { migratePostgres, openPostgres } from '#base/postgres';
import { createLog } from '#base/runtime';
import { POWERS, auditCheck } from '../../../../../packages/tooling/operations/doctor/checks/audit.ts';
import { type OwnEngine, ownPostgres } from '../../../../support/stack/engines/own-engines.ts';

const PROTECTED = ['audit_entries', 'audit_settings', 'migrations'];

/** Only a superuser gives these. */
describe('rights of the role of the services that Postgres keeps beside tables', () => {
  let engine: OwnEngine;
  let superuser: pg.Client;
  let service: pg.Client;
  before(async () => {
    engine = await ownPostgres();
    await migratePostgres(
      { url: engine.address, tls: undefined },
      'infra/migrations/postgres',
      createLog('test', 'fatal'),
    );
    superuser = await connect('postgres', '-superuser');
    await superuser.query('revoke temporary on database flagmeter from public');
    await superuser.query('revoke create on schema public from public');
    service = await connect('flagmeter_service');
  });
  after(async () => {
    await service.end();
    await superuser.end();
    await engine.dispose();
  });

  function urlOf(user: string, ending = ''): URL {
    const url = new URL(engine.address);
    url.username = user;
    url.password += ending;
    return url;
  }

  async function connect(user: string, ending = ''): Promise<pg.Client> {
    const client = new pg.Client(urlOf(user, ending).href);
    await client.connect();
    return client;
  }

  it('are named although the role becomes a weaker one whenever it connects', async () => {
    await superuser.query(`
      create role weak;
      grant usage on schema public to weak;
      grant weak to flagmeter_service;
      grant delete on audit_entries to flagmeter_service`);
    await service.query('alter role flagmeter_service set role = weak');
    const { href: url } = urlOf('flagmeter_service');
    const db = openPostgres({ url, tls: undefined, maxConnections: 1, log: createLog('test', 'fatal') });
    const judged = await auditCheck(db).run();
    await db.end();
    await superuser.query(`
      alter role flagmeter_service reset role;
      revoke delete on audit_entries from flagmeter_service;
      drop owned by weak;
      drop role weak`);
    expect(judged.text)
      .to.include('The role flagmeter_service has rights')
      .and.to.include('delete on audit_entries');
  });

  async function powers(): Promise<string[]> {
    const { rows } = await service.query<{ power: string }>(POWERS, [PROTECTED]);
    return rows.map(({ power }) => power);
  }

  it('are none at first', async () => {
    expect(await powers()).to.deep.equal([]);
  });

  const GIVEN: Readonly<Record<string, readonly [give: string, take: string]>> = {
    'delete on audit_entries': [
      'create role sweeper; grant delete on audit_entries to sweeper; grant sweeper to flagmeter_service',
      'drop owned by sweeper; drop role sweeper',
    ],
    'the attribute createrole of flagmeter_service': [
      'alter role flagmeter_service createrole',
      'alter role flagmeter_service nocreaterole',
    ],
    ...Object.fromEntries(
      ['pg_execute_server_program', 'pg_write_server_files'].map((role) => [
        `the role ${role}`,
        [`grant ${role} to flagmeter_service`, `revoke ${role} from flagmeter_service`] as const,
      ]),
    ),
  };

  for (const inherits of ['inherit', 'noinherit'])
    for (const [power, [give, take]] of Object.entries(GIVEN))
      it(`are named, with ${inherits}: ${power}`, async () => {
        await superuser.query(`alter role flagmeter_service ${inherits}`);
        await superuser.query(give);
        const found = await powers();
        await superuser.query(take);
        expect(found).to.deep.equal([power]);
      });
});
