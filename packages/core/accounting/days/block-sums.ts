import { type DayTable, countNames, sumOf } from './day-tables.ts';

/** The sums of the blocks in the form of the markers: added up first, because there may be millions of blocks. */
export function blockSums(isOpen: string): string {
  const ofPartition = `
    concat(topic, ':', toString(epoch), ':', toString(partition)) as key,
    if(${isOpen}, to_offset, 0) as open_to`;
  return `select
      counted.1 as the_table,
      the_day,
      key,
      open_to,
      false as is_marker,
      counted.2 as sums,
      counted.3 as reported
    from (
      select
        day as the_day,${ofPartition},
        [${USAGE.map((name) => sumOf(`day_${name}`)).join(', ')}, sum(${MESSAGES})] as usage,
        [sum(day_variants), sumIf(${MESSAGES}, day_variants > 0)] as variants,
        sum(day_reports) as metrics
      from blocks
      array join days as day, ${[...USAGE, 'reports', 'variants'].map((name) => `day_${name}`).join(', ')}
      group by the_day, topic, epoch, partition, open_to
    )
    array join [
      ('usage_hourly', usage, metrics),
      ('usage_daily', usage, metrics),
      ('variants_hourly', variants, toUInt64(0)),
      ('variants_daily', variants, toUInt64(0))
    ] as counted
    union all
    select
      impact_table as the_table,
      the_day,
      key,
      open_to,
      false as is_marker,
      sums,
      reported
    from (
      select
        day as the_day,${ofPartition},
        [sum(toUInt64(day_totals)), sum(day_observations), sum(${MESSAGES})] as sums,
        sum(day_samples) as reported
      from blocks
      array join impact_days as day, day_samples, day_totals, day_observations
      group by the_day, topic, epoch, partition, open_to
    )
    array join ['impact_hourly', 'impact_daily'] as impact_table
    union all
    ${sumsOfOne({ tables: ['reasons_hourly', 'reasons_daily'], days: 'reason_days', counts: 'day_evaluations', ofPartition })}
    union all
    ${sumsOfOne({ tables: ['refusals_daily'], days: 'refusal_days', counts: 'day_refusals', ofPartition })}
    union all
    ${sumsOfMinutes(ofPartition)}`;
}

const USAGE = countNames('usage_daily');
const MINUTES = countNames('usage_minutely');
const MESSAGES = 'toUInt64(to_offset - from_offset)';

function sumsOfMinutes(ofPartition: string): string {
  return `select
      'usage_minutely' as the_table,
      d.day as the_day,${ofPartition},
      false as is_marker,
      [${MINUTES.map((name) => sumOf(`d.${name}`)).join(', ')}, sum(${MESSAGES})] as sums,
      sum(d.reports) as reported
    from blocks
    array join minute_days as d
    where toDate(received_to) >= {minutesFrom:Date}
    group by the_day, topic, epoch, partition, open_to`;
}

/** The sums for tables whose rows have one count. */
function sumsOfOne(one: {
  readonly tables: readonly DayTable[];
  readonly days: string;
  readonly counts: string;
  readonly ofPartition: string;
}): string {
  const { tables, days, counts, ofPartition } = one;
  return `select
      arrayJoin([${tables.map((table) => `'${table}'`).join(', ')}]) as the_table,
      day as the_day,${ofPartition},
      false as is_marker,
      [sum(${counts}), sum(${MESSAGES})] as sums,
      toUInt64(0) as reported
    from blocks
    array join ${days} as day, ${counts}
    group by the_day, topic, epoch, partition, open_to`;
}
