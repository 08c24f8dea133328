import { openClickHouse } from '#core/clickhouse';
import { SERVICE_CONNECT_TIMEOUT_MS, openPostgres } from '#base/postgres';
import type { Beside, WorkerParts } from '../worker.ts';
import { consumeApplications } from './applications.ts';
import { shardOfReports, startFleetJobs } from './fleet-jobs.ts';
import { createFleetMetrics } from './fleet-metrics.ts';
import { keepRelayReports } from './relay-reports.ts';

/** Writes applications to Postgres, keeps the reports of relays, and copies for analysts what Postgres has. */
export function openFleet(parts: WorkerParts): Beside {
  const { config, log, registry, shards } = parts;
  const { topics, groupPrefix } = config.kafka;
  const clickhouse = openClickHouse(config.clickhouse); // reads all shards
  const db = openPostgres({ ...config.postgres, log, connectTimeoutMs: SERVICE_CONNECT_TIMEOUT_MS });
  const shared = { ...parts, db };
  const keepingReports = keepRelayReports({
    ...shared,
    clickhouse: shardOfReports(shards),
    groupId: `${groupPrefix}-relay-reports`,
    topic: topics.relayReports,
  });
  const recordFleet = createFleetMetrics(registry);
  const jobs = startFleetJobs({ db, shards, clickhouse, log, recordFleet });
  return {
    consumers: [
      () =>
        consumeApplications({
          ...shared,
          groupId: `${groupPrefix}-applications`,
          topic: topics.applications,
        }),
    ],
    async end() {
      await Promise.all([keepingReports, ...jobs.map((job) => job.stop())]);
    },
    async close() {
      await clickhouse.close();
      await db.end();
    },
  };
}
