import type { Postgres, PostgresClient } from '#base/postgres';
import { EXCHANGE_PARTS } from '../schema.ts';
import { selectOf } from './statements.ts';
import { tableOf } from './tables.ts';

const PAGE_ROWS = 500;

/** Yields the export document page by page, as text. All pages show the data of one moment. */
export async function* exportDocument(db: Postgres): AsyncGenerator<string> {
  const client = await db.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    yield '{"format":"flagmeter","version":1';
    for (const part of EXCHANGE_PARTS) {
      yield `,\n"${part}":[`;
      let isFirst = true;
      for await (const page of pagesOf(client, selectOf(tableOf(part)))) {
        yield `${isFirst ? '\n' : ',\n'}${page.join(',\n')}`;
        isFirst = false;
      }
      yield ']';
    }
    yield '}\n';
  } finally {
    client.release(true);
  }
}

async function* pagesOf(client: PostgresClient, query: string): AsyncGenerator<string[]> {
  await client.query(
    `declare rows no scroll cursor for select to_jsonb(row)::text as json from (${query}) as row`,
  );
  for (;;) {
    const { rows } = await client.query<{ json: string }>(`fetch ${PAGE_ROWS} from rows`);
    if (rows.length === 0) break;
    yield rows.map(({ json }) => json);
  }
  await client.query('close rows');
}
