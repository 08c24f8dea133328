import type { Postgres } from '#postgres';
import { type Check, ok, warn } from '../finding.ts';

/** Whoever owns the table, its schema or its database may drop it, whatever was revoked. A superuser counts as a member of every role. */
const POWERS = `
  select
    current_user as role,
    pg_has_role(c.relowner, 'member') or pg_has_role(n.nspowner, 'member') or pg_has_role(d.datdba, 'member') as owns,
    has_table_privilege(c.oid, 'update, delete, truncate, trigger')
      or has_any_column_privilege(c.oid, 'update') as "mayChange"
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_database as d on d.datname = current_database()
  where c.oid = 'audit_entries'::regclass`;

type Powers = { readonly role: string; readonly owns: boolean; readonly mayChange: boolean };

/** Whether the role of the services can only read the audit and add to it. */
export function auditCheck(db: Postgres): Check {
  return {
    name: 'audit',
    run: async () => {
      const { rows } = await db.query<Powers>(POWERS);
      const [{ role, owns, mayChange } = { role: '', owns: true, mayChange: true }] = rows;
      if (!owns && !mayChange)
        return ok(`The role ${role} can add entries to the audit, but not change or delete them.`);
      return warn(
        `The role ${role} can change and delete entries of the audit${owns ? ', because it owns them or is a superuser' : ''}.`,
        owns
          ? 'Use a role that owns nothing in DATABASE_URL, the owner in DATABASE_OWNER_URL, and run flagmeter migrate.'
          : 'Run flagmeter migrate as their owner, which revokes this.',
      );
    },
  };
}
