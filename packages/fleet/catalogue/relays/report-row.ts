import type { RelayReport, RelayState, Revision } from '#fleet/relays';

/** A relay of a report that Kafka has stored. */
export type ArrivedRelay = RelayState &
  Pick<RelayReport, 'tokenId' | 'environment'> & {
    readonly receivedAt: number;
    /** The relay that passed it to us; its own id if it reports to us. */
    readonly rootId: string;
    /** Relays behind it. */
    readonly nested: number;
  };

/** A relay as its newest report describes it. */
export type KnownRelay = Omit<ArrivedRelay, 'receivedAt' | 'nested'> & {
  readonly firstSeenAt: number;
  readonly lastReportAt: number;
  readonly coveredMs: number;
  readonly reportIntervalMs: number | undefined;
  readonly refused: number | undefined;
  readonly cpuSeconds: number | undefined;
};

/** What the next report of a relay is compared with. */
export type EarlierRelay = Pick<
  KnownRelay,
  'firstSeenAt' | 'lastReportAt' | 'refusedTotal' | 'cpuSecondsTotal'
>;

export function keyOf({
  tokenId,
  appName,
  relayId,
}: Pick<ArrivedRelay, 'tokenId' | 'appName' | 'relayId'>): string {
  return JSON.stringify([tokenId, appName, relayId]);
}

/** What a first report covers: a relay reports each minute. */
const USUAL_INTERVAL_MS = 60_000;
/** An INTEGER of Postgres holds 24 days. */
const LONGEST_INTERVAL_MS = 24 * 3_600_000;

/** The state after a report. Sums since the start of the relay become differences to the report before. */
export function updated(
  { receivedAt, nested: _, ...relay }: ArrivedRelay,
  before: EarlierRelay | undefined,
): KnownRelay {
  const intervalMs = before && Math.min(receivedAt - before.lastReportAt, LONGEST_INTERVAL_MS);
  const isNew = relay.startedAt !== undefined && receivedAt - relay.startedAt <= 2 * USUAL_INTERVAL_MS;
  const since = (total: number | undefined, earlier: number | undefined): number | undefined => {
    if (total === undefined) return undefined;
    return Math.max(0, total - (earlier ?? (isNew ? 0 : total)));
  };
  return {
    ...relay,
    firstSeenAt: before?.firstSeenAt ?? receivedAt,
    lastReportAt: receivedAt,
    coveredMs: intervalMs ?? USUAL_INTERVAL_MS,
    reportIntervalMs: intervalMs,
    refused: since(relay.refusedTotal, before?.refusedTotal),
    cpuSeconds: since(relay.cpuSecondsTotal, before?.cpuSecondsTotal),
  };
}

/** The row of `relay_reports`. */
export function reportRowOf({ nested }: ArrivedRelay, relay: KnownRelay): object {
  const { features, metrics } = relay.latency;
  return {
    received_at: timeOf(relay.lastReportAt),
    token_id: relay.tokenId,
    environment: relay.environment,
    app_name: relay.appName,
    relay_id: relay.relayId,
    parent_id: relay.parentId ?? '',
    version: relay.version ?? '',
    region: relay.region ?? '',
    hosting: relay.hosting ?? '',
    started_at: relay.startedAt === undefined ? null : Math.floor(relay.startedAt / 1000),
    seconds: relay.coveredMs / 1000,
    requests: relay.requests,
    refused: relay.refused ?? null,
    features_latency_ms: features?.averageMs ?? null,
    features_p99_ms: features?.p99Ms ?? null,
    metrics_latency_ms: metrics?.averageMs ?? null,
    metrics_p99_ms: metrics?.p99Ms ?? null,
    streaming_clients: relay.streamingClients ?? null,
    memory_bytes: relay.memoryBytes ?? null,
    cpu_seconds: relay.cpuSeconds ?? null,
    nested_relays: nested,
    revisions: Object.fromEntries(relay.revisions.map((held) => [nameOf(held), held.revision])),
  };
}

const LONGEST_NAME = 255;

function nameOf({ environment, projects }: Revision): string {
  return `${environment}: ${projects.join(', ')}`.slice(0, LONGEST_NAME);
}

/** As ClickHouse reads it for a DateTime64. */
function timeOf(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').slice(0, -1);
}
