import { join } from 'node:path';
import {
  type ShardedAccess,
  beginMinutes,
  comparedFromNow,
  endMinutes,
  openClickHouse,
  readMigration,
  renderStatement,
  serversOf,
} from '#core/clickhouse';
import type { Config } from '#base/runtime';
import { MIGRATIONS } from './tables.ts';

/** Begins to keep minutes in a shard, or ends it. Workers may count meanwhile. */
export async function setMinutes(
  access: ShardedAccess<Config['clickhouse']>,
  areKept: boolean,
): Promise<void> {
  const servers = serversOf(access).map(openClickHouse);
  try {
    const shard = { servers, cluster: access.cluster };
    if (!areKept) await endMinutes(shard);
    else await beginMinutes(shard, renderStatement(await statementOfView(), access));
  } finally {
    for (const server of servers) await server.close();
  }
}

async function statementOfView(): Promise<string> {
  const values = [['compared_from', comparedFromNow(Date.now())]] as const;
  const file = join('included', 'usage', 'usage_minutely_view.sql');
  const sql = await readMigration(join(MIGRATIONS, 'clickhouse'), file, values);
  return sql.replace(/;\s*$/, '');
}
