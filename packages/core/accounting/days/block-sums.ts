import { countNames, sumOf } from './day-tables.ts';

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
    ${sumsOfOthers(ofPartition)}`;
}

const USAGE = countNames('usage_daily');
const MINUTES = countNames('usage_minutely');
const MESSAGES = 'toUInt64(to_offset - from_offset)';

/** Whether minutes of the block are compared. */
const HAS_MINUTES = 'toDate(received_to) >= {minutesFrom:Date}';

/** What few blocks have, and minutes, which are compared for a few days: one scan of these blocks reads all of them. */
function sumsOfOthers(ofPartition: string): string {
  return `select
      arrayJoin(tables) as the_table,
      the_day,
      key,
      open_to,
      false as is_marker,
      sums,
      reported
    from (
      select
        part.1 as tables,
        part.2 as the_day,${ofPartition},
        sumForEach(arrayPushBack(part.3, ${MESSAGES})) as sums,
        sum(part.4) as reported
      from blocks
      array join arrayConcat(
        arrayMap(
          (day, total, observations, samples) -> (['impact_hourly', 'impact_daily'], day, [toUInt64(total), observations], samples),
          impact_days, day_totals, day_observations, day_samples
        ),
        arrayMap(
          (day, evaluations) -> (['reasons_hourly', 'reasons_daily'], day, [evaluations], toUInt64(0)),
          reason_days, day_evaluations
        ),
        arrayMap((day, refusals) -> (['refusals_daily'], day, [refusals], toUInt64(0)), refusal_days, day_refusals),
        arrayMap(
          d -> (['usage_minutely'], d.day, [${MINUTES.map((name) => `d.${name}`).join(', ')}], d.reports),
          arrayFilter(d -> ${HAS_MINUTES}, minute_days)
        )
      ) as part
      where notEmpty(impact_days)
         or notEmpty(reason_days)
         or notEmpty(refusal_days)
         or ${HAS_MINUTES}
      group by tables, the_day, topic, epoch, partition, open_to
    )`;
}
