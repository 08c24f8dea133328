import type { Postgres } from '#base/postgres';
import { type Check, type Verdict, ok, warn } from '../finding.ts';

/** Only their owner may change these. Services may add the content of an entry. */
const PROTECTED = ['audit_entries', 'audit_settings', 'migrations'] as const;

/** Whoever owns the table, its schema or its database may drop it, whatever was revoked. A superuser counts as a member of every role. */
const OWNERSHIP = `
  select
    current_user as role,
    bool_or(
      pg_has_role(c.relowner, 'member') or pg_has_role(n.nspowner, 'member') or pg_has_role(d.datdba, 'member')
    ) as owns
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_database as d on d.datname = current_database()
  where c.oid = any ($1::regclass[])`;

/**
 * All that the current role may do to the protected tables: by privileges on them, on relations that lead to them (views and rules, parts,
 * tables whose deletes cascade, sequences), by functions that act with the rights of another role or are triggers of these tables and
 * look names up as their caller wishes, and by creating things with the names of others.
 */
export const POWERS = `
  with recursive reaching (oid) as (
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
  cross join unnest(array['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'TRIGGER', 'REFERENCES']) as privilege
  where has_table_privilege(oid, privilege)
  union all
  select lower(privilege) || ' of column ' || attname || ' on ' || reaching.oid::regclass
  from reaching
  join pg_attribute on attrelid = reaching.oid and attnum > 0
  cross join unnest(array['INSERT', 'UPDATE', 'REFERENCES']) as privilege
  where has_column_privilege(reaching.oid, attnum, privilege)
    and not has_table_privilege(reaching.oid, privilege)
    and not (reaching.oid = 'audit_entries'::regclass and attname = 'content' and privilege = 'INSERT')
  union all
  select 'use of the sequence ' || oid::regclass
  from reaching
  join pg_class using (oid)
  where case when relkind = 'S' then has_sequence_privilege(oid, 'USAGE, UPDATE') end
  union all
  select 'the function ' || oid::regprocedure || ', which finds names as its caller wishes'
  from pg_proc
  where pronamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
    and (
      (prosecdef and not pg_has_role(proowner, 'member') and has_function_privilege(oid, 'execute'))
      or oid in (select tgfoid from pg_trigger where tgrelid in (select oid from reaching) and not tgisinternal)
    )
    and coalesce(array_to_string(proconfig, ','), '') !~ 'search_path=("?pg_catalog"?|.*pg_temp"?)(,|$)'
  union all
  select 'temporary tables'
  where has_database_privilege(current_database(), 'temporary')
  union all
  select 'create in the schema ' || nspname
  from pg_namespace
  where nspname !~ '^pg_(toast|temp)'
    and has_schema_privilege(oid, 'create')`;

/** Whether the role of the services can only read the audit and add to it. */
export function auditCheck(db: Postgres): Check {
  return {
    name: 'audit',
    run: async () => {
      const ownership = await db.query<{ role: string; owns: boolean }>(OWNERSHIP, [PROTECTED]);
      const [{ role, owns } = { role: '', owns: true }] = ownership.rows;
      if (owns)
        return warn(
          `The role ${role} can change and delete entries of the audit, because it owns them or is a superuser.`,
          'Use a role that owns nothing in DATABASE_URL, the owner in DATABASE_OWNER_URL, and run flagmeter migrate.',
        );
      const { rows } = await db.query<{ power: string }>(POWERS, [PROTECTED]);
      return judge(
        role,
        rows.map(({ power }) => power),
      );
    },
  };
}

const MAX_SHOWN = 3;

function judge(role: string, powers: readonly string[]): Verdict {
  if (powers.length === 0)
    return ok(`The role ${role} can add entries to the audit, but not change or delete them.`);
  const shown = [...powers.slice(0, MAX_SHOWN), ...(powers.length > MAX_SHOWN ? ['others'] : [])];
  return warn(
    `The role ${role} has rights by which entries of the audit can be changed or deleted: ${shown.join(', ')}.`,
    'Run flagmeter migrate as their owner, which revokes those that it may. Let the owner or a superuser revoke the others.',
  );
}
