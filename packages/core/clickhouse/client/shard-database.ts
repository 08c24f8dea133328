/** The database that holds one part of the tables, if there are several shards. Each server has one with the same name. */
export function shardDatabaseOf(database: string): string {
  return `${database}_shard`;
}
