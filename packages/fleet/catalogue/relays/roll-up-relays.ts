import { type ClickHouse, runStatement } from '#core/clickhouse';

/**
 * Adds up the days of `relays_daily` that got reports in the last hour, from the start. Any number of runs give the same sums; the
 * latest row of a day counts.
 */
export async function rollUpRelays(clickhouse: ClickHouse): Promise<void> {
  await runStatement(clickhouse, ROLL_UP);
}

/** Rows that were written twice, and are not merged yet, are equal in these columns. */
const ONCE = `
  select distinct
    received_at, token_id, environment, app_name, relay_id, parent_id, version, region, hosting, started_at, seconds,
    requests, refused, features_latency_ms, features_p99_ms, metrics_latency_ms, metrics_p99_ms, streaming_clients,
    memory_bytes, cpu_seconds, nested_relays, revisions
  from relay_reports
  where toDate(received_at) in (
    select distinct toDate(received_at)
    from relay_reports
    where stored_at >= now64(3) - interval 1 hour
  )`;

const ROLL_UP = `
  insert into relays_daily (
    day, token_id, environment, app_name, relay_id, parent_id, version, region, reports, seconds, requests, refused,
    features_latency_ms, features_p99_ms, metrics_latency_ms, metrics_p99_ms, streaming_clients, memory_bytes,
    cpu_seconds, nested_relays, hosting, started_at, first_report_at, last_report_at, revisions
  )
  select
    toDate(r.received_at) as day,
    token_id,
    argMax(r.environment, r.received_at),
    app_name,
    relay_id,
    argMax(r.parent_id, r.received_at),
    argMax(r.version, r.received_at),
    argMax(r.region, r.received_at),
    count(),
    sum(r.seconds),
    sum(r.requests),
    sum(r.refused),
    argMax(r.features_latency_ms, r.received_at),
    argMax(r.features_p99_ms, r.received_at),
    argMax(r.metrics_latency_ms, r.received_at),
    argMax(r.metrics_p99_ms, r.received_at),
    max(r.streaming_clients),
    max(r.memory_bytes),
    sum(r.cpu_seconds),
    max(r.nested_relays),
    argMax(r.hosting, r.received_at),
    argMax(r.started_at, r.received_at),
    min(r.received_at),
    max(r.received_at),
    argMax(r.revisions, r.received_at)
  from (${ONCE}) as r
  group by day, token_id, app_name, relay_id`;
