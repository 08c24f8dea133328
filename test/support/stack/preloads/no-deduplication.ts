import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { patchInserts, say } from './patches.ts';

/** Disables deduplication: ClickHouse treats a repeated INSERT as a new one, and no target of its block as stored. */
patchInserts((parameters, exec) => {
  say('inserted without deduplication');
  const settings = { ...parameters.clickhouse_settings, insert_deduplication_token: randomUUID() };
  const values = Readable.from(forgetTargets(parameters.values), { objectMode: false });
  return exec({ ...parameters, values, clickhouse_settings: settings });
});

/** Lines that name targets begin with a list of them. */
async function* forgetTargets(pieces: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const piece of pieces) yield piece.toString().replaceAll(/^\[\[.*?\],/gm, '[[],');
}
