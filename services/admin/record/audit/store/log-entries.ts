import { type Postgres, inTransaction } from '#base/postgres';
import type { Log } from '#base/runtime';

/** In one turn. An entry has up to a kilobyte without its values. */
const MAX_ENTRIES = 500;

type Row = { sequence: string; at: Date; hash: string; content: object | null };

/**
 * Writes the entries since the last turn to the log, without the values before and after a change. Of several processes, one does
 * it. If that one is killed, the next one repeats entries, but leaves none out.
 */
export async function logEntries(db: Postgres, log: Log): Promise<void> {
  while (await hasEntries(db)) if ((await logSome(db, log)) < MAX_ENTRIES) return;
}

/** Takes no lock: Postgres would write each to its disk, once a second. */
async function hasEntries(db: Postgres): Promise<boolean> {
  const { rowCount } = await db.query(
    `select
     from public.audit_log_position as p
     where exists (select from public.audit_entries as e where e.sequence > p.sequence)`,
  );
  return rowCount === 1;
}

function logSome(db: Postgres, log: Log): Promise<number> {
  return inTransaction(db, async (client) => {
    const position = await client.query<{ sequence: string }>(
      'select sequence from public.audit_log_position for update skip locked',
    );
    const [last] = position.rows;
    if (last === undefined) return 0; // another process does it
    const { rows } = await client.query<Row>(
      `select
         sequence, at, hash,
         case when json_typeof(content) = 'object' then content::jsonb - 'before' - 'after' end as content
       from public.audit_entries
       where sequence > $1
       order by sequence
       limit ${MAX_ENTRIES}`,
      [last.sequence],
    );
    for (const { sequence, at, hash, content } of rows) {
      const entry = { sequence: Number(sequence), at: at.toISOString(), ...content, hash };
      if (content === null) log.error(entry, 'audit entry is not readable');
      else log.info(entry, 'audit');
    }
    const newest = rows.at(-1)?.sequence;
    if (newest !== undefined)
      await client.query('update public.audit_log_position set sequence = $1', [newest]);
    return rows.length;
  });
}

/** The number of the last entry that is in the log; 0 if none is. */
export async function readLogged(db: Postgres): Promise<number> {
  const { rows } = await db.query<{ sequence: string }>('select sequence from public.audit_log_position');
  return Number(rows[0]?.sequence ?? 0);
}
