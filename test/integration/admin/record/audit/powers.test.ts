import { expect } from 'chai';
import { type Postgres, type PostgresClient, openPostgres } from '#base/postgres';
import { POWERS } from '../../../../../packages/tooling/operations/doctor/checks/audit.ts';
import { GRANTS } from '../../../../../packages/tooling/operations/setup/grants.ts';
import { setUpPostgres } from '../../../../../packages/tooling/operations/setup/set-up.ts';
import { configWithServiceRole } from '../../../../support/stack/engines/service-role.ts';
import { sharedUncountedWorld } from '../../../../support/uncounted-world.ts';

const PROTECTED = ['audit_entries', 'audit_settings', 'migrations'];

/** Everything that uses one of these, as often as it takes. */
const RELATIONS = `
  with recursive reaching (oid) as (
    select unnest($1::regclass[])::oid
    union
    select ev_class
    from reaching
    join pg_depend on refobjid = reaching.oid
    join pg_rewrite on pg_rewrite.oid = objid
  )
  select oid::regclass::text as name from reaching`;

const COLUMNS = `
  select attname as name
  from pg_attribute
  where attrelid = $1::regclass
    and attnum > 0
    and not attisdropped`;

describe('what the role of the services may do to the audit', () => {
  const world = sharedUncountedWorld();
  let pool: Postgres;
  /** A pool would replace its connection after each refusal. */
  let service: PostgresClient;

  before(async () => {
    const config = configWithServiceRole(world);
    await setUpPostgres(config, world.log);
    pool = openPostgres({ ...config.postgres, maxConnections: 1, log: world.log });
    service = await pool.connect();
    await service.query(ENTRY);
  });
  after(async () => {
    service.release();
    await pool.end();
  });

  const codeOf = (statement: string) =>
    service.query(statement).then(
      () => 'done',
      (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : String(error)),
    );
  const namesOf = async (query: string, parameters: readonly unknown[]): Promise<string[]> => {
    const { rows } = await world.db.query<{ name: string }>(query, [...parameters]);
    return rows.map(({ name }) => name);
  };

  it('is listed for every relation, and nothing else is', async () => {
    const relations = await namesOf(
      `select relname as name
       from pg_class
       where relnamespace = 'public'::regnamespace
         and relkind in ('r', 'p', 'v', 'm', 'f')
         and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`,
      [],
    );
    expect(relations).to.have.members(Object.keys(GRANTS));
  });

  it('refuses every statement on every relation that leads to it, but to add the content of an entry', async () => {
    const relations = await namesOf(RELATIONS, [PROTECTED]);
    expect(relations).to.include.members([...PROTECTED, 'audit']);
    for (const relation of relations) {
      const columns = await namesOf(COLUMNS, [relation]);
      for (const column of columns) {
        expect(await codeOf(`update ${relation} set ${column} = default`), column).to.be.oneOf(DENIED);
        if (`${relation}.${column}` !== 'audit_entries.content')
          expect(await codeOf(`insert into ${relation} (${column}) values (default)`), column).to.be.oneOf(
            DENIED,
          );
      }
      for (const statement of [
        `delete from ${relation}`,
        `truncate ${relation}`,
        `do $$ begin lock table ${relation} in access exclusive mode; end $$`,
        `create trigger t before insert on ${relation} for each row execute function chain_audit_entry()`,
        `create rule r as on insert to ${relation} do instead nothing`,
        `alter table ${relation} disable trigger all`,
        `drop table ${relation} cascade`,
        `create view shadow as table ${relation}`,
      ])
        expect(await codeOf(statement), statement).to.be.oneOf(DENIED);
    }
  });

  it('has no temporary table or other thing with the name of another, which functions would use', async () => {
    const names = await namesOf(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v')`,
      [],
    );
    for (const name of names) {
      expect(await codeOf(`create temporary table ${name} (retention_days integer)`), name).to.be.oneOf(
        DENIED,
      );
      expect(await codeOf(`create temporary view ${name} as select 1`), name).to.be.oneOf(DENIED);
    }
    expect(await codeOf('create schema shadow')).to.be.oneOf(DENIED);
    expect(await codeOf('create function public.audit_settings() returns integer return 1')).to.be.oneOf(
      DENIED,
    );
  });

  it('finds names in the functions of the audit as their owner wrote them, whatever path a caller sets', async () => {
    await world.db.query('create schema evil');
    await world.db.query('grant usage on schema evil to flagmeter_service');
    await world.db.query('create table evil.audit_settings as select 1 as retention_days');
    await world.db.query(
      'create table evil.audit_entries as select 9223372036854775807 as sequence, now() as at',
    );
    await world.db.query(`create function evil.sha256(bytea) returns bytea immutable return '\\x00'::bytea`);
    await world.db.query(
      'grant select, insert, update, delete on all tables in schema evil to flagmeter_service',
    );
    await service.query('set search_path = evil, pg_catalog, public');
    await service.query('select public.prune_audit()');
    await service.query(ENTRY.replace('audit_entries', 'public.audit_entries'));
    await service.query('reset search_path');
    const { rows } = await service.query<{ hash: string; expected: string }>(
      'select hash, audit_hash(audit_entries) as expected from audit_entries order by sequence desc limit 1',
    );
    expect(rows[0]?.hash)
      .to.match(/^[0-9a-f]{64}$/)
      .and.to.equal(rows[0]?.expected);
  });

  const powers = async (): Promise<string[]> => {
    const { rows } = await service.query<{ power: string }>(POWERS, [PROTECTED]);
    return rows.map(({ power }) => power);
  };

  it('has other functions with the rights of the owner among it, wherever they find names', async () => {
    for (const path of ['', 'set search_path = pg_catalog, public', 'set search_path = pg_catalog']) {
      await world.db.query(
        `create function cut() returns void language sql security definer ${path} as 'delete from public.audit_entries'`,
      );
      expect(await powers(), path).to.deep.equal([
        'the function cut(), which acts with the rights of its owner',
      ]);
      await world.db.query('drop function cut');
    }
  });

  it('has the functions of the audit among it if they find another table first', async () => {
    for (const name of ['prune_audit', 'prune_strangers', 'chain_audit_entry'])
      for (const path of ['pg_catalog, public', 'public, pg_temp, pg_catalog', '"$user"']) {
        await world.db.query(`alter function ${name} set search_path = ${path}`);
        const found = await powers();
        expect(found, `${name} ${path}`).to.have.length(1);
        expect(found[0]).to.match(
          new RegExp(`^the function ${name}\\(.*which finds names as its caller wishes$`),
        );
        await world.db.query(`alter function ${name} set search_path = pg_catalog`);
        expect(await powers(), name).to.deep.equal([]);
      }
  });

  for (const [what, content] of [
    ['null', 'null'],
    ['a list', '[]'],
    ['no operation', '{"outcome":"done"}'],
    ['a status that is no number', '{"operation":"a","outcome":"done","status":"x"}'],
    ['a status twice', '{"operation":"a","outcome":"done","status":"x","status":200}'],
    ['a number beyond its column', '{"operation":"a","outcome":"done","userId":1e30}'],
    ['an id that is none', '{"operation":"a","outcome":"done","credentialId":"x"}'],
    ['NUL', '{"operation":"a","outcome":"\\u0000"}'],
    ['a member that no entry has', '{"operation":"a","outcome":"done","sequence":1}'],
    [
      'a reason that no page of the log holds',
      `{"operation":"a","outcome":"done","reason":"${'x'.repeat(2 ** 17)}"}`,
    ],
    ['more spaces than memory', `{"operation":"a","outcome":"done"${' '.repeat(2 ** 24)}}`],
  ] as const)
    it(`refuses an entry with ${what}`, async () => {
      expect(await codeOf(`insert into audit_entries (content) values ('${content}')`)).to.be.oneOf([
        '23514',
        '22P05',
      ]);
      expect((await service.query('table audit')).rowCount).to.be.greaterThan(0);
    });
});

const ENTRY = `insert into audit_entries (content) values ('{"operation":"test","outcome":"done"}')`;
/** Not allowed; the wrong kind of object; a column of a view that nobody can change. */
const DENIED = ['42501', '42809', '0A000'];
