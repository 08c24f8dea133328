import {
  ClickHouseLogLevel,
  type ClickHouseSettings,
  type ClickHouseClientConfigOptions,
  createClient,
} from '@clickhouse/client';
import type { Tls } from '#base/runtime';
import { type ClickHouse, overReplicas } from './replicas.ts';
import { type ServerCheck, type Shard, checkCluster, checkShard } from './shard-numbers.ts';

export { quoteIdentifier, quoteText } from './quote.ts';
export { readRows } from './read-rows.ts';
export type { ClickHouse } from './replicas.ts';
export type { Shard } from './shard-numbers.ts';

export type ClickHouseOptions = {
  /**
   * A server, or the replicas of a shard, comma separated, in the order of preference. Shards are separated by semicolons. With
   * several shards each server answers for all of them.
   */
  readonly url: string;
  /** The shard, if `url` names only one of several. See `shardsOf`. */
  readonly shard?: Shard | undefined;
  readonly username: string;
  readonly password: string;
  readonly database: string;
  readonly tls: Tls | undefined;
  /** Longest wait for an answer; by default that of services. */
  readonly timeoutMs?: number;
  /** For queries: how long an answer may take and a query may run. */
  readonly readDeadlineMs?: number;
};

/** Longest wait for an answer. Then the query is given up and, if it is an INSERT, killed and repeated. */
export const CLICKHOUSE_TIMEOUT_MS = 30_000;

/**
 * A subquery is evaluated once for all shards, and no sum leaves out a shard that is unreachable, whatever the user's profile
 * says.
 */
const ALL_SHARDS: ClickHouseSettings = { distributed_product_mode: 'global', skip_unavailable_shards: 0 };

export function openClickHouse(options: ClickHouseOptions): ClickHouse {
  const {
    url,
    username,
    password,
    database,
    tls,
    timeoutMs = CLICKHOUSE_TIMEOUT_MS,
    readDeadlineMs,
  } = options;
  const settings = {
    username,
    password,
    database,
    ...(tls?.ca === undefined ? {} : { tls: tlsOptions({ ...tls, ca: tls.ca }) }),
    application: 'flagmeter',
    request_timeout: readDeadlineMs ?? timeoutMs,
    max_open_connections: 16,
    // Below the server's keep-alive of 10 s (local engine and official default), so that no request is sent to a closing
    // socket.
    keep_alive: { enabled: true, idle_socket_ttl: 2500 },
    // Errors reach the caller, who logs them once.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      output_format_json_quote_64bit_integers: 1,
      ...(url.includes(';') ? ALL_SHARDS : {}),
      ...(readDeadlineMs === undefined ? {} : { max_execution_time: readDeadlineMs / 1000 }),
    },
  } satisfies ClickHouseClientConfigOptions;
  const check = checkOf(options);
  const servers = url.split(/[,;]/).map((text) => {
    const one = text.trim();
    const client = createClient({ ...settings, url: one });
    return { client, check: () => check(client, new URL(one).host) };
  });
  return overReplicas(servers);
}

/** What must hold for a server before it is used the first time. */
function checkOf({ url, shard }: ClickHouseOptions): ServerCheck {
  const shards = url.split(';').length;
  if (shards > 1) return (db, server) => checkCluster(db, shards, server);
  if (shard !== undefined) return (db, server) => checkShard(db, shard, server);
  return () => Promise.resolve();
}

/** The same server as the user for people's queries, whose limits are tighter than the worker's. */
export function asReader<T extends Pick<ClickHouseOptions, 'username' | 'password'>>({
  reader,
  ...options
}: T & { readonly reader: Pick<ClickHouseOptions, 'username' | 'password'> }) {
  return { ...options, ...reader };
}

function tlsOptions({ ca, cert, key }: Tls & { readonly ca: string }) {
  const authority = { ca_cert: Buffer.from(ca) };
  return cert === undefined || key === undefined
    ? authority
    : { ...authority, cert: Buffer.from(cert), key: Buffer.from(key) };
}

/** Whether a query failed because the migrations were not run. */
export function isNotSetUp(error: unknown): boolean {
  const type = error instanceof Error && 'type' in error ? error.type : undefined;
  return type === 'UNKNOWN_DATABASE' || type === 'UNKNOWN_TABLE' || type === 'UNKNOWN_IDENTIFIER';
}

/** Runs a statement that returns no rows. */
export async function runStatement(
  db: ClickHouse,
  query: string,
  settings: ClickHouseSettings = {},
): Promise<void> {
  await db.command({ query, clickhouse_settings: { ...settings, wait_end_of_query: 1 } });
}
