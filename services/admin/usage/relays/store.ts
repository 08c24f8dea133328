import { type Postgres, isoTime } from '#base/postgres';
import { cutPage, decodeCursor } from '../../http/requests/cursor.ts';
import type { Relays } from './schema.ts';

export type RelaysPage = { readonly limit: number; readonly cursor?: string | undefined };

/** The keys by which relays are ordered; the state comes first, by its place in STATES. */
const SORT = 'state';
const KEYS = ['number', 'text', 'text', 'text', 'text'] as const;

export type RelaysStore = ReturnType<typeof createRelaysReader>;

type NestedRelay = Relays['relays'][number]['nested'][number];
type Held = Pick<NestedRelay['revisions'][number], 'environment' | 'projects' | 'revision'>;

/** As JSON, so that relays and nested relays have one form. */
type StoredRelay = {
  readonly [Key in keyof NestedRelay]: Key extends 'revisions' ? readonly Held[] : NestedRelay[Key];
};

type Row = {
  readonly total: number;
  readonly reporting: number;
  readonly silent: number;
  readonly relay: StoredRelay | null;
  /** Without meaning in a row that has only the counts. */
  readonly position: readonly string[];
  readonly nested: readonly StoredRelay[];
  readonly total_nested: number;
};

type Newest = {
  readonly environment: string;
  readonly projects: readonly string[];
  readonly revision: string;
};

/** Reads the relays that report about themselves, and the relays behind them. */
export function createRelaysReader(db: Postgres) {
  return {
    async list({ limit, cursor }: RelaysPage): Promise<Relays> {
      const after = cursor === undefined ? KEYS.map(() => null) : decodeCursor(cursor, SORT, KEYS);
      const { rows: found } = await db.query<Row>(LIST, [limit + 1, ...after]);
      const { items: rows, nextCursor } = cutPage(found, { limit, sort: SORT }, ({ position }) => position);
      const { rows: newest } = await db.query<Newest>(NEWEST);
      const revisions = new Map(newest.map((row) => [keyOf(row), Number(row.revision)]));
      const [first] = rows;
      return {
        total: first?.total ?? 0,
        totalReporting: first?.reporting ?? 0,
        totalSilent: first?.silent ?? 0,
        nextCursor,
        relays: rows.flatMap(({ relay, nested, total_nested: totalNested }) => {
          if (relay === null) return [];
          const { parentId: _, ...root } = compared(relay, revisions);
          return [{ ...root, nested: nested.map((one) => compared(one, revisions)), totalNested }];
        }),
      };
    },
  };
}

type HeldKey = { readonly environment: string; readonly projects: readonly string[] };

function keyOf({ environment, projects }: HeldKey): string {
  return JSON.stringify([environment, projects]);
}

function compared(relay: StoredRelay, newest: ReadonlyMap<string, number>): NestedRelay {
  return {
    ...relay,
    revisions: relay.revisions.map((held) => ({
      ...held,
      newestRevision: Math.max(held.revision, newest.get(keyOf(held)) ?? 0),
    })),
  };
}

/** The maximum number of nested relays that are listed for a relay. The latest ones are listed. */
const MAX_NESTED = 100;

/** A relay of `relay_states` as JSON. Relays without a parent get the parent '', which is removed. */
const asJson = (relay: string): string => `json_build_object(
  'appName', ${relay}.app_name,
  'relayId', ${relay}.relay_id,
  'parentId', coalesce(${relay}.parent_id, ''),
  'state', ${relay}.state,
  'version', ${relay}.version,
  'region', ${relay}.region,
  'hosting', ${relay}.hosting,
  'environment', ${relay}.environment,
  'startedAt', ${isoTime(`${relay}.started_at`)},
  'firstSeenAt', ${isoTime(`${relay}.first_seen_at`)},
  'lastReportAt', ${isoTime(`${relay}.last_report_at`)},
  'requestsPerSecond', round(${relay}.requests * 1000.0 / greatest(${relay}.covered_ms, 1), 3),
  'refused', ${relay}.refused,
  'featuresLatency', ${relay}.latency -> 'features',
  'metricsLatency', ${relay}.latency -> 'metrics',
  'streamingClients', ${relay}.streaming_clients,
  'memoryBytes', ${relay}.memory_bytes,
  'revisions', ${relay}.revisions
)`;

// One statement reads the page and the counts, so that they belong to the same moment. A page beyond the last one is a single row
// with only the counts.
const LIST = `
  with states as materialized (
    select * from relay_states
  ), page as (
    select *
    from (
      select *, array_position(array['silent', 'reporting', 'stopped'], state) as state_place
      from states
      where depth = 0
    ) as placed
    where $2::bigint is null
      or (state_place, coalesce(region, ''), app_name, relay_id, token_id) > ($2::bigint, $3::text, $4::text, $5::text, $6::text)
    order by state_place, coalesce(region, ''), app_name, relay_id, token_id
    limit $1
  ), counted as (
    select
      count(*)::int as total,
      count(*) filter (where state = 'reporting')::int as reporting,
      count(*) filter (where state = 'silent')::int as silent
    from states
    where depth = 0
  ), behind as (
    select b.token_id, b.root_id, count(*)::int as total,
      json_agg(${asJson('b')} order by b.depth, b.app_name, b.relay_id) filter (where b.place <= ${MAX_NESTED}) as nested
    from (
      select *, row_number() over (partition by token_id, root_id order by last_report_at desc, relay_id) as place
      from states
      where depth > 0
        and (token_id, root_id) in (select token_id, relay_id from page)
    ) as b
    group by b.token_id, b.root_id
  )
  select
    counted.*,
    case when p.relay_id is not null then ${asJson('p')} end as relay,
    array[p.state_place::text, coalesce(p.region, ''), p.app_name, p.relay_id, p.token_id] as position,
    coalesce(n.nested, '[]') as nested,
    coalesce(n.total, 0) as total_nested
  from counted
  left join page as p on true
  left join behind as n on n.token_id = p.token_id and n.root_id = p.relay_id
  order by p.state_place, coalesce(p.region, ''), p.app_name, p.relay_id, p.token_id`;

// A relay that is silent may hold a revision from before Unleash was restored.
const NEWEST = `
  select held.environment, held.projects, max(held.revision) as revision
  from relay_states as s
  cross join lateral jsonb_to_recordset(s.revisions) as held (environment text, projects jsonb, revision bigint)
  where s.state = 'reporting'
  group by held.environment, held.projects`;
