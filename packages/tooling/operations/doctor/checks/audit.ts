import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { type Check, type Judgement, ok, warn } from '../finding.ts';

/** Only their owner may change these. Services may add the content of an entry. */
const PROTECTED = ['public.audit_entries', 'public.audit_settings', 'public.migrations'] as const;

/**
 * Whoever owns the table, its schema or its database may drop it, whatever was revoked. A superuser counts as a member of every role. The
 * role is that of the connection, because each may set its own `role`.
 */
const OWNERSHIP = `
  select
    session_user as role,
    bool_or(
      pg_has_role(session_user, c.relowner, 'member')
      or pg_has_role(session_user, n.nspowner, 'member')
      or pg_has_role(session_user, d.datdba, 'member')
    ) as owns
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_database as d on d.datname = current_database()
  where c.oid = any ($1::regclass[])`;

/** The functions that act with the rights of their owner, as the migrations make them: two delete only what is old, and the trigger adds an entry. */
const OURS = "'prune_audit', 'prune_strangers', 'chain_audit_entry'";

/**
 * All that the current role may do to the protected tables, itself or as a role that it may become: by privileges on them, on relations that
 * lead to them (views and rules, parts, tables whose deletes cascade, sequences), by functions that act with the rights of somebody who may
 * change them, by our own functions if these look names up as their caller wishes, by creating things with the names of others, and by
 * attributes and roles of Postgres that lead to everything.
 */
export const POWERS = `
  with recursive acting (id) as (
    select oid from pg_roles where pg_has_role(session_user, oid, 'member')
  ),
  reaching (oid) as (
    select unnest($1::regclass[])::oid
    union
    select next.oid
    from reaching
    cross join lateral (
      select ev_class as oid
      from pg_depend
      join pg_rewrite on pg_rewrite.oid = objid
      where classid = 'pg_rewrite'::regclass
        and refclassid = 'pg_class'::regclass
        and refobjid = reaching.oid
      union
      select inhrelid from pg_inherits where inhparent = reaching.oid
      union
      select confrelid
      from pg_constraint
      where contype = 'f'
        and conrelid = reaching.oid
        and (confdeltype in ('c', 'n', 'd') or confupdtype in ('c', 'n', 'd'))
      union
      select objid
      from pg_depend
      join pg_class on pg_class.oid = objid and relkind = 'S'
      where classid = 'pg_class'::regclass
        and refobjid = reaching.oid
    ) as next
  )
  select lower(privilege) || ' on ' || oid::regclass as power
  from reaching
  cross join acting
  cross join unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) as privilege
  where has_table_privilege(id, oid, privilege)
  union
  select lower(privilege) || ' of column ' || attname || ' on ' || reaching.oid::regclass
  from reaching
  cross join acting
  join pg_attribute on attrelid = reaching.oid and attnum > 0
  cross join unnest(array['INSERT', 'UPDATE', 'REFERENCES']) as privilege
  where has_column_privilege(id, reaching.oid, attnum, privilege)
    and not has_table_privilege(id, reaching.oid, privilege)
    and not (reaching.oid = 'public.audit_entries'::regclass and attname = 'content' and privilege = 'INSERT')
  union
  select 'use of the sequence ' || oid::regclass
  from reaching
  cross join acting
  join pg_class using (oid)
  where case when relkind = 'S' then has_sequence_privilege(id, oid, 'USAGE, UPDATE') end
  union
  select 'the function ' || p.oid::regprocedure || ', which acts with the rights of its owner'
  from pg_proc as p
  cross join acting
  join pg_class as c on c.oid = 'public.audit_entries'::regclass
  where prosecdef
    and has_function_privilege(id, p.oid, 'execute')
    and pg_has_role(proowner, relowner, 'member')
    and pronamespace <> 'pg_catalog'::regnamespace
    and not (pronamespace = relnamespace and proname in (${OURS}))
  union
  select 'the function ' || oid::regprocedure || ', which finds names as its caller wishes'
  from pg_proc
  where (
      (pronamespace = 'public'::regnamespace and proname in (${OURS}))
      or oid in (select tgfoid from pg_trigger where tgrelid in (select oid from reaching) and not tgisinternal)
    )
    and not exists (
      select from unnest(proconfig) as setting where setting ~ '^search_path=("?pg_catalog"?|.*, *"?pg_temp"?)$'
    )
  union
  select 'temporary tables'
  from acting
  where has_database_privilege(id, current_database(), 'temporary')
  union
  select 'create in the schema ' || nspname
  from pg_namespace
  cross join acting
  where nspname !~ '^pg_(toast|temp)'
    and has_schema_privilege(id, oid, 'create')
  union
  select 'the attribute createrole of ' || rolname
  from pg_roles
  join acting on id = oid
  where rolcreaterole
  union
  select 'the role ' || rolname
  from pg_roles
  join acting on id = oid
  where rolname in ('pg_execute_server_program', 'pg_write_server_files', 'pg_maintain')`;

/** Whether the role of the services can only read the audit and add to it. */
export function auditCheck(db: Postgres): Check {
  return {
    name: 'audit',
    run: () =>
      inTransaction(db, async (client) => {
        // Otherwise a role could set a path on which it finds other tables and functions with these names first.
        await client.query('set local search_path = pg_catalog, public');
        return examine(client);
      }),
  };
}

async function examine(client: PostgresClient): Promise<Judgement> {
  const ownership = await client.query<{ role: string; owns: boolean }>(OWNERSHIP, [PROTECTED]);
  const [{ role, owns } = { role: '', owns: true }] = ownership.rows;
  if (owns)
    return warn(
      `The role ${role} can change and delete entries of the audit, because it owns them or is a superuser.`,
      'Use a role that owns nothing in DATABASE_URL, the owner in DATABASE_OWNER_URL, and run flagmeter migrate.',
    );
  const { rows } = await client.query<{ power: string }>(POWERS, [PROTECTED]);
  return judge(
    role,
    rows.map(({ power }) => power),
  );
}

const MAX_SHOWN = 3;

function judge(role: string, powers: readonly string[]): Judgement {
  if (powers.length === 0)
    return ok(`The role ${role} can add entries to the audit, but not change or delete them.`);
  const shown = [...powers.slice(0, MAX_SHOWN), ...(powers.length > MAX_SHOWN ? ['others'] : [])];
  return warn(
    `The role ${role} has rights by which entries of the audit can be changed or deleted: ${shown.join(', ')}.`,
    'Run flagmeter migrate as their owner, which revokes those that it may. Let the owner or a superuser revoke the others.',
  );
}
