import type { Block, Metric } from '#core/counting';
import { aCounter, aHistogram, aMetric } from '../../../builders/builders.ts';
import { aBlock } from './stored-blocks.ts';

const DAY_MS = 24 * 3_600_000;
const FEATURES = 6;
const PARTITIONS = 4;

/**
 * Four partitions, each with every feature and application on the days of the last month, a refused metric, and impact metrics of an
 * application.
 */
export function blocksOfAMonth(now: number): Block[] {
  return Array.from({ length: PARTITIONS }, (_, partition) =>
    aBlock({
      metrics: metricsOf(partition, now),
      impactMetrics: impactOf(partition),
      partition,
      batchId: `batch ${partition}`,
    }),
  );
}

function impactOf(partition: number): unknown[] {
  const labels = {
    'feature-3': partition % 2 === 0 ? 'blue' : 'red',
    appName: 'app-0',
    environment: 'production',
  };
  const buckets = [{ le: 0.5, count: 3 + partition }];
  return [
    aCounter({ samples: [{ value: 2.5 + partition, labels }] }),
    aCounter({ name: 'load', type: 'gauge', samples: [{ value: partition, labels }] }),
    aHistogram({ samples: [{ count: 9, sum: 4.25, buckets, labels }] }),
  ];
}

function metricsOf(partition: number, now: number): Metric[] {
  const metrics: Metric[] = [];
  for (let day = 0; day < 29; day += 1)
    for (let feature = 0; feature < FEATURES; feature += 1)
      metrics.push(
        aMetric({
          featureName: `feature-${feature}`,
          appName: `app-${(feature + partition) % 3}`,
          timestamp: new Date(now - day * DAY_MS).toISOString(),
          yes: 10 + partition + day,
          no: feature % 2 === 0 ? 0 : 3,
          variants: feature === 3 ? { blue: 4 + partition, red: 2 } : {},
        }),
      );
  return [...metrics, aMetric({ featureName: 'late', timestamp: new Date(now - 60 * DAY_MS).toISOString() })];
}

/** Statements that store features and instances, as the catalogue sync copies them. */
export function aCatalogue(now: number): string[] {
  const seconds = Math.floor(now / 1000);
  return [
    `insert into feature_copies
       (name, project, type, archived, created_at, enabled_in, environments, are_enabled, strategies,
        rollout_percents, constraints, variants, changed_at, copied_at)
     select
       concat('feature-', toString(number)), 'default', 'release', number = 5, toDateTime(${seconds - 1_000_000}), ['production'],
       ['production'], [true], ['[]'], [50], ['[]'], [map('blue', 500, 'red', 500)], [toDateTime64(${seconds - 900_000}, 3)],
       toDateTime64('2026-01-01', 3, 'UTC')
     from numbers(1, ${FEATURES - 1})`,
    `insert into instance_copies
       (app_name, environment, instance_id, sdk_version, interval_ms, first_seen, last_seen, copied_at)
     select
       concat('app-', toString(number % 3)), 'production', concat('instance-', toString(number)),
       concat('sdk:', toString(number % 2)), 60000, toDateTime(${seconds - 5000}), toDateTime(${seconds}) - number * 700, toDateTime64('2026-01-01', 3, 'UTC')
     from numbers(6)`,
  ];
}

/** Reports of relays as the worker inserts them, the latest ones twice. They are in one shard only. */
export function relayReports(now: number): string[] {
  const minute = Math.floor(now / 60_000) * 60;
  const insert = (reports: number): string =>
    `insert into relay_reports
       (received_at, token_id, environment, app_name, relay_id, version, seconds, requests, refused, revisions, started_at)
     select
       toDateTime64(${minute}, 3, 'UTC') - toIntervalMinute(intDiv(number, 2) * 30), 'token', 'production', 'edge',
       concat('relay-', toString(number % 2)), '20.4.1', 60, 100 + number, number % 3, map('production: *', 400 + number),
       toDateTime(${minute - 1_000_000})
     from numbers(${reports})`;
  return [insert(200), insert(20)];
}
