import type { ClickHouse } from '#core/clickhouse';

/** How much a flagmeter received beside the counts themselves. */
export type Received = {
  readonly apps: number;
  readonly days: number;
  /** Time between two blocks of each partition. */
  readonly secondsPerBlock: number;
  readonly messagesPerBlock: number;
};

/** A hundred different refusals a day. */
const REFUSALS = `
  insert into refusals_daily (day, kind, reason, token_id, environment, app_name, feature_name, count, sample)
  select
    today() - number % 30,
    'metric',
    ['too_old', 'in_the_future', 'environment_not_allowed', 'empty_name'][1 + kind % 4],
    concat('token-', toString(kind % 7)),
    'production',
    concat('app-', leftPad(toString(kind % {apps:UInt32}), 3, '0')),
    concat('feature-', leftPad(toString(kind), 5, '0')),
    1 + number % 90,
    'sample'
  from (
    select number, intDiv(number, 30) as kind
    from numbers(3000)
  )`;

const PARTITIONS = [0, 1, 2];

/**
 * Blocks of one partition for the whole generated time, with 100 metrics in each message. Those of the last two days still have their batch
 * ids. Those of all partitions would take more memory than a statement may.
 */
const BLOCKS = `
  insert into blocks
    (topic, partition, from_offset, to_offset, stored_at, received_from, received_to, appended_to, received, counted, refused,
     refused_reasons, refused_counts, days, day_yes, day_no, day_unknown, day_reports, day_variants, batch_ids, batch_times, markers)
  select
    'bench_reads.counts',
    intDiv(number, per_partition),
    {messagesPerBlock:UInt32} * (number % per_partition) as first,
    first + {messagesPerBlock:UInt32},
    now64(3, 'UTC')
      - toIntervalMillisecond({secondsPerBlock:UInt32} * (1000 * (per_partition - number % per_partition) - cityHash64(number) % 1000)) as at,
    at - interval 1 second,
    at - toIntervalMillisecond(cityHash64(number) % 50),
    at - toIntervalMillisecond(cityHash64(number) % 50),
    100 * {messagesPerBlock:UInt32} as metrics,
    metrics - 1,
    1,
    ['too_old'],
    [1],
    [toDate(at)] as days,
    [metrics * (50 + cityHash64(number, 'yes') % 10)],
    [metrics * (50 + cityHash64(number, 'no') % 10)],
    [0],
    [metrics - 1],
    [metrics * (5 + cityHash64(number, 'variants') % 5)],
    if(at > now('UTC') - interval 2 day, arrayMap(batch -> hex(MD5(concat(toString(number), ' ', toString(batch)))), range({messagesPerBlock:UInt32})), []),
    if(at > now('UTC') - interval 2 day, arrayMap(batch -> at - toIntervalMillisecond(10 * batch), range({messagesPerBlock:UInt32})), []),
    arrayMap(table -> concat(table, ' ', toString(days[1])), ['usage_hourly', 'usage_daily', 'variants_hourly', 'variants_daily'])
  from (
    select number, intDiv({days:UInt32} * 86400, {secondsPerBlock:UInt32}) as per_partition
    from numbers(
      {partition:UInt8} * intDiv({days:UInt32} * 86400, {secondsPerBlock:UInt32}),
      intDiv({days:UInt32} * 86400, {secondsPerBlock:UInt32})
    )
  )`;

/** One report a minute of each of ten relays, for the whole generated time. */
const RELAY_REPORTS = `
  insert into relay_reports
    (received_at, token_id, environment, app_name, relay_id, version, seconds, requests, refused, features_latency_ms, memory_bytes)
  select
    toStartOfMinute(now('UTC')) - toIntervalMinute(intDiv(number, 10)),
    'token',
    'production',
    'unleash-edge',
    concat('relay-', toString(number % 10)),
    '20.4.1',
    60,
    6000 + number % 1000,
    number % 3,
    5 + number % 7,
    52428800
  from numbers({days:UInt32} * 14400)`;

/** Fills the base tables with refusals, blocks and reports of relays. */
export async function generateReceived(db: ClickHouse, received: Received): Promise<void> {
  const write = async (query: string, query_params: object): Promise<void> => {
    await db.command({
      query,
      query_params: { ...query_params },
      clickhouse_settings: { wait_end_of_query: 1 },
    });
  };
  await write(REFUSALS, received);
  for (const partition of PARTITIONS) await write(BLOCKS, { ...received, partition });
  await write(RELAY_REPORTS, received);
}
