import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import { FlagmeterError } from '#base/runtime';
import type { Caller } from '#base/tokens';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import { EXCHANGE_PARTS, type Exchange, type ExchangePart, type ExportedChangeRequest } from '../schema.ts';
import { makeWay } from '../../../flags/features/change/make-way.ts';
import { type Table, insertOf } from './statements.ts';
import { REQUEST_TABLES, tableOf } from './tables.ts';

const CHUNK_ROWS = 500;

/** The number of new rows of each part. */
export type ImportCounts = Readonly<Record<ExchangePart, number>>;

/**
 * Imports a document in one transaction. Existing rows stay unchanged, so a second import of the same document adds nothing.
 * Only new rows are counted. Users are matched by uid, then by name or e-mail, if nobody is signed in as the one or the other by a provider.
 */
export function importDocument(db: Postgres, document: Exchange, caller: Caller): Promise<ImportCounts> {
  return inTransaction(db, async (client) => {
    const counts = await insertDocument(client, document);
    if (Object.values(counts).some((count) => count > 0))
      await recordEvent(client, { type: 'features-imported', caller, data: counts });
    return counts;
  });
}

/** Counts what an import would add: it imports, counts and rolls back. */
export async function countImport(db: Postgres, document: Exchange): Promise<ImportCounts> {
  let counts: ImportCounts | undefined;
  const rollBack = new Error('only counted');
  try {
    await inTransaction(db, async (client) => {
      counts = await insertDocument(client, document);
      throw rollBack;
    });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  if (counts === undefined) throw new Error('nothing was counted');
  return counts;
}

/** The import alone, as part of a transaction, without its event. */
export async function insertDocument(client: PostgresClient, document: Exchange): Promise<ImportCounts> {
  const insert = createInsert(client);
  const counts: Partial<Record<ExchangePart, number>> = {};
  for (const part of EXCHANGE_PARTS) {
    const records = document[part] ?? [];
    if (part === 'features') await makeWay(client, records);
    const keys = await insert.records(tableOf(part), records);
    if (part === 'users') await insert.match(document.users ?? []);
    if (part === 'change_requests')
      await fillRequests(client, insert, { requests: document.change_requests ?? [], newUids: keys });
    counts[part] = keys.length;
  }
  return counts as ImportCounts; // every part was counted above
}

type Insert = {
  /** Inserts the records. Returns the key (the first member) of each new row. */
  readonly records: (table: Table, records: readonly object[]) => Promise<readonly string[]>;
  /** Finds the users of the document in this instance; records that are inserted later refer to these. */
  readonly match: (users: readonly object[]) => Promise<void>;
};

function createInsert(client: PostgresClient): Insert {
  /** The ids of users by their uids in the document. */
  const ids: Record<string, number | null> = {};
  return {
    async records(table, records) {
      const statement = await insertOf(client, table);
      const keys: string[] = [];
      for (const chunk of chunksOf(records)) {
        const { rows } = await client.query<{ key: string }>(statement, [
          JSON.stringify(chunk),
          JSON.stringify(ids),
        ]);
        for (const { key } of rows) keys.push(key);
      }
      return keys;
    },
    async match(users) {
      for (const chunk of chunksOf(users)) {
        const { rows } = await client.query<Matched>(MATCH_USERS, [JSON.stringify(chunk)]);
        rejectStrangers(rows);
        for (const { uid, id } of rows) ids[uid] ??= id;
      }
    },
  };
}

type Matched = { readonly uid: string; readonly id: number | null; readonly stranger: string | null };

/** Otherwise the tokens and approvals of the one would become those of the other. */
function rejectStrangers(matched: readonly Matched[]): void {
  const names = matched.flatMap(({ stranger }) => stranger ?? []);
  if (names.length > 0)
    throw new FlagmeterError(
      'usage',
      `users of the file have the names of other users here, of whom an identity provider signs in the one or the other: ${names.slice(0, 10).join(', ')}. Delete or rename one of them first.`,
    );
}

type NewRequests = {
  readonly requests: readonly ExportedChangeRequest[];
  readonly newUids: readonly string[];
};

/** Adds the changes, votes, comments and schedules of the new change requests. */
async function fillRequests(
  client: PostgresClient,
  insert: Insert,
  { requests, newUids }: NewRequests,
): Promise<void> {
  const areNew = new Set(newUids);
  const added = requests.filter(({ uid }) => areNew.has(uid.toLowerCase()));
  for (const part of REQUEST_PARTS) {
    const records = added.flatMap((request) =>
      [request[part] ?? []].flat().map((record) => ({ ...record, request: request.uid })),
    );
    await insert.records(REQUEST_TABLES[part], records);
  }
  // The rules of this instance count, not those of the other one.
  await client.query(
    `update change_requests
     set min_approvals = approvals_required(id)
     where uid = any ($1)
       and state not in ('Applied', 'Cancelled', 'Rejected')`,
    [newUids],
  );
}

const REQUEST_PARTS = ['changes', 'approvals', 'rejections', 'comments', 'schedule'] as const;

/**
 * By uid, or else the user who has the name now. `stranger` is a name that two have, of whom a provider signs in at least one, or has signed
 * in one who is deleted, or of whom one is a system actor.
 */
const MATCH_USERS = `
  select
    row.uid,
    known.id,
    case
      when row.deleted_at is null
        and (
          (
            known.uid <> row.uid
            and (known.is_system or (known.issuer, known.subject) is distinct from (row.issuer, row.subject))
          )
          or exists (
            select
            from users as gone
            where gone.deleted_at is not null
              and gone.issuer is not null
              and row.issuer is null
              and (
                user_name_key(gone.username) = user_name_key(row.username)
                or user_name_key(gone.email) = user_name_key(row.email)
              )
          )
        )
      then coalesce(row.email, row.username)
    end as stranger
  from jsonb_to_recordset($1) as row (
    uid uuid, username text, email text, issuer text, subject text, deleted_at timestamptz
  )
  left join lateral (
    select u.id, u.uid, u.issuer, u.subject, u.is_system
    from users as u
    where u.uid = row.uid
      or (
        u.deleted_at is null
        and row.deleted_at is null
        and (
          user_name_key(u.username) = user_name_key(row.username)
          or user_name_key(u.email) = user_name_key(row.email)
          or (u.issuer, u.subject) = (row.issuer, row.subject)
        )
      )
    order by u.uid = row.uid desc, user_name_key(u.username) = user_name_key(row.username) desc nulls last
    limit 1
  ) as known on true`;

function* chunksOf(rows: readonly object[]): Generator<readonly object[]> {
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) yield rows.slice(from, from + CHUNK_ROWS);
}
