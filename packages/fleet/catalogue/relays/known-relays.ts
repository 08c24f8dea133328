import { type Postgres, isAhead } from '#base/postgres';
import { type ArrivedRelay, type EarlierRelay, type KnownRelay, keyOf } from './report-row.ts';

type Row = Key & {
  readonly firstSeenAt: Date;
  readonly lastReportAt: Date;
  readonly refusedTotal: string | null;
  readonly cpuSecondsTotal: number | null;
};

type Key = Pick<ArrivedRelay, 'tokenId' | 'appName' | 'relayId'>;

/** The stored relays among these, by `keyOf`. */
export async function readKnownRelays(
  db: Postgres,
  keys: readonly Key[],
): Promise<Map<string, EarlierRelay>> {
  const wanted = keys.map(({ tokenId, appName, relayId }) => ({
    token_id: tokenId,
    app_name: appName,
    relay_id: relayId,
  }));
  const { rows } = await db.query<Row>(
    `select
       token_id as "tokenId",
       app_name as "appName",
       relay_id as "relayId",
       first_seen_at as "firstSeenAt",
       last_report_at as "lastReportAt",
       refused_total as "refusedTotal",
       cpu_seconds_total as "cpuSecondsTotal"
     from relays as r
     join (
       select distinct token_id, app_name, relay_id
       from jsonb_to_recordset($1) as wanted (token_id text, app_name text, relay_id text)
     ) as wanted using (token_id, app_name, relay_id)`,
    [JSON.stringify(wanted)],
  );
  return new Map(rows.map((row) => [keyOf(row), earlierRelayOf(row)]));
}

/** Writes states in the order of their keys, so that two workers cannot deadlock. An older state changes nothing. */
export async function writeRelays(db: Postgres, relays: readonly KnownRelay[]): Promise<void> {
  if (relays.length === 0) return;
  const columns = Object.keys(TYPES);
  const newer = columns
    .filter((column) => !KEPT.has(column))
    .map((column) => `${column} = excluded.${column}`);
  await db.query(
    `insert into relays as known (${columns.join(', ')})
     select ${columns.join(', ')}
     from jsonb_to_recordset($1) as reported (${Object.entries(TYPES)
       .map((pair) => pair.join(' '))
       .join(', ')})
     order by token_id, app_name, relay_id
     on conflict (token_id, app_name, relay_id) do update
     set ${newer.join(', ')}
     where known.last_report_at < excluded.last_report_at
       or ${isAhead('known.last_report_at')}`,
    [JSON.stringify(relays.map(rowOf))],
  );
}

/** A token may have many relays over time, because each start of an Edge is a new one. */
const MAX_RELAYS_PER_TOKEN = 2000;

/** Deletes the relays of these tokens that reported longest ago, if a token has too many. */
export async function forgetOldest(db: Postgres, relays: readonly Key[]): Promise<void> {
  await db.query(
    `delete from relays
     where (token_id, app_name, relay_id) in (
       select token_id, app_name, relay_id
       from (
         select *, row_number() over (partition by token_id order by last_report_at desc, relay_id) as place
         from relays
         where token_id = any ($1)
       ) as placed
       where place > ${MAX_RELAYS_PER_TOKEN}
     )`,
    [[...new Set(relays.map(({ tokenId }) => tokenId))]],
  );
}

const KEPT: ReadonlySet<string> = new Set(['token_id', 'app_name', 'relay_id', 'first_seen_at']);

const TYPES = {
  token_id: 'text',
  app_name: 'text',
  relay_id: 'text',
  parent_id: 'text',
  root_id: 'text',
  depth: 'smallint',
  environment: 'text',
  version: 'text',
  region: 'text',
  hosting: 'text',
  started_at: 'timestamptz',
  first_seen_at: 'timestamptz',
  last_report_at: 'timestamptz',
  covered_ms: 'integer',
  report_interval_ms: 'integer',
  requests: 'bigint',
  refused: 'bigint',
  refused_total: 'bigint',
  cpu_seconds: 'double precision',
  cpu_seconds_total: 'double precision',
  memory_bytes: 'bigint',
  streaming_clients: 'integer',
  latency: 'jsonb',
  revisions: 'jsonb',
} as const;

function rowOf(relay: KnownRelay): Readonly<Record<keyof typeof TYPES, unknown>> {
  return {
    token_id: relay.tokenId,
    app_name: relay.appName,
    relay_id: relay.relayId,
    parent_id: relay.parentId,
    root_id: relay.rootId,
    depth: relay.depth,
    environment: relay.environment,
    version: relay.version,
    region: relay.region,
    hosting: relay.hosting,
    started_at: relay.startedAt === undefined ? undefined : new Date(relay.startedAt),
    first_seen_at: new Date(relay.firstSeenAt),
    last_report_at: new Date(relay.lastReportAt),
    covered_ms: relay.coveredMs,
    report_interval_ms: relay.reportIntervalMs,
    requests: relay.requests,
    refused: relay.refused,
    refused_total: relay.refusedTotal,
    cpu_seconds: relay.cpuSeconds,
    cpu_seconds_total: relay.cpuSecondsTotal,
    memory_bytes: relay.memoryBytes,
    streaming_clients: relay.streamingClients,
    latency: relay.latency,
    revisions: relay.revisions,
  };
}

function earlierRelayOf({ firstSeenAt, lastReportAt, refusedTotal, cpuSecondsTotal }: Row): EarlierRelay {
  return {
    firstSeenAt: firstSeenAt.getTime(),
    lastReportAt: lastReportAt.getTime(),
    refusedTotal: refusedTotal === null ? undefined : Number(refusedTotal),
    cpuSecondsTotal: cpuSecondsTotal ?? undefined,
  };
}
