import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { patchInserts, say } from './patches.ts';

/** Deduplication off: ClickHouse takes a repeated INSERT for a new one, and no share of its block for stored. */
patchInserts((parameters, exec) => {
  say('inserted without deduplication');
  const settings = { ...parameters.clickhouse_settings, insert_deduplication_token: randomUUID() };
  const values = Readable.from(forgetShares(parameters.values), { objectMode: false });
  return exec({ ...parameters, values, clickhouse_settings: settings });
});

/** Lines that name shares begin with a list of them. */
async function* forgetShares(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of pieces) yield piece.toString().replaceAll(/^\[\[.*?\],/gm, '[[],');
}
