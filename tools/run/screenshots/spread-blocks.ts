import { openClickHouse, runStatement } from '#core/clickhouse';
import { readConfig } from '#base/runtime';

/** Each block gets a time in the last hour, in its order. Otherwise a picture would need an hour of traffic. */
const STATEMENTS = [
  'create table spread engine = Memory as select * from blocks',
  'truncate table blocks',
  `insert into blocks
   select * except (place, total)
     replace (now64(3) - toIntervalMillisecond(toUInt32(3_540_000 * (1 - place / total))) as stored_at)
   from (
     select *, row_number() over (order by stored_at) as place, count() over () as total
     from spread
   )`,
  'drop table spread',
];

/** Only for an installation that is deleted afterwards, after its last block. */
export async function spreadBlocks(env: NodeJS.ProcessEnv): Promise<void> {
  const clickhouse = openClickHouse(readConfig(env).clickhouse);
  try {
    for (const statement of STATEMENTS) await runStatement(clickhouse, statement);
  } finally {
    await clickhouse.close();
  }
}
