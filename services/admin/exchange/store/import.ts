import { type Postgres, type PostgresClient, inTransaction } from '#postgres';
import { SYSTEM } from '#tokens';
import { recordEvent } from '../../events/store/record-event.ts';
import { EXCHANGE_PARTS, type Exchange, type ExchangePart } from '../schema.ts';
import { CHANGE_REQUEST_CHILDREN, INSERTS } from './inserts.ts';

const CHUNK_ROWS = 500;

/** How many rows of each part are new here. */
export type ImportCounts = Readonly<Record<ExchangePart, number>>;

/**
 * Takes a document in, in one transaction. What is here already stays as it is, so that a second import of the same
 * document adds nothing; only new rows are counted. Users are matched by uid, then by name or e-mail.
 */
export function importDocument(db: Postgres, document: Exchange): Promise<ImportCounts> {
  return inTransaction(db, async (client) => {
    const counts = await insertAll(client, document);
    if (Object.values(counts).some((count) => count > 0))
      await recordEvent(client, { type: 'features-imported', caller: SYSTEM, data: counts });
    return counts;
  });
}

/** What an import would add; it is done, counted and taken back. */
export async function countImport(db: Postgres, document: Exchange): Promise<ImportCounts> {
  let counts: ImportCounts | undefined;
  const takeBack = new Error('only counted');
  try {
    await inTransaction(db, async (client) => {
      counts = await insertAll(client, document);
      throw takeBack;
    });
  } catch (error) {
    if (error !== takeBack) throw error;
  }
  if (counts === undefined) throw new Error('nothing was counted');
  return counts;
}

async function insertAll(client: PostgresClient, document: Exchange): Promise<ImportCounts> {
  await client.query(
    'create temporary table imported_users (uid uuid primary key, id integer) on commit drop',
  );
  const counts: Partial<Record<ExchangePart, number>> = {};
  for (const part of EXCHANGE_PARTS) {
    let count = 0;
    for (const chunk of chunksOf(document[part] ?? [])) count += await insertChunk(client, part, chunk);
    counts[part] = count;
  }
  return counts as ImportCounts; // every part was just counted
}

async function insertChunk(
  client: PostgresClient,
  part: ExchangePart,
  rows: readonly object[],
): Promise<number> {
  const json = JSON.stringify(rows);
  const { rows: inserted } = await client.query<{ uid?: string }>(INSERTS[part], [json]);
  if (part === 'users') await client.query(MATCH_USERS, [json]);
  if (part === 'change_requests') {
    const uids = inserted.map(({ uid }) => uid);
    for (const statement of CHANGE_REQUEST_CHILDREN) await client.query(statement, [json, uids]);
  }
  return inserted.length;
}

const MATCH_USERS = `
  insert into imported_users (uid, id)
  select
    row.uid,
    (
      select u.id
      from users as u
      where u.uid = row.uid
        or u.username = row.username
        or u.email = row.email
      order by u.uid = row.uid desc, u.username = row.username desc nulls last
      limit 1
    )
  from jsonb_to_recordset($1) as row (uid uuid, username text, email text)
  on conflict (uid) do nothing`;

function* chunksOf(rows: readonly object[]): Generator<readonly object[]> {
  for (let from = 0; from < rows.length; from += CHUNK_ROWS) yield rows.slice(from, from + CHUNK_ROWS);
}
