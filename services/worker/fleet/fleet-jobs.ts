import {
  COPIED_TABLES,
  type CopiedTable,
  type Fleet,
  copyTable,
  pruneApplications,
  prunePastConfigurations,
  readFleet,
  registerFeatures,
  rollUpRelays,
  syncLastSeen,
} from '#fleet/catalogue';
import type { ClickHouse, Shards } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import { type Job, type Log, staggerStarts, startJob } from '#base/runtime';

/** Analysts see a change of the catalogue after this time at the latest. */
const SYNC_PAUSE_MS = 30_000;

/** Lists of features show a new evaluation after this time at the latest. */
const LAST_SEEN_PAUSE_MS = 60_000;

/** The day of a relay shows a report after this time at the latest. */
const ROLL_UP_PAUSE_MS = 60_000;

const PRUNE_PAUSE_MS = 3_600_000;

/** A transaction may become visible after many later ones. Until then its rows may be missing in the copy. */
const WHOLE_SYNC_PAUSE_MS = 3_600_000;

export type FleetStores = {
  readonly db: Postgres;
  readonly shards: Shards;
  /** Reads all shards. */
  readonly clickhouse: ClickHouse;
  readonly log: Log;
  readonly recordFleet: (fleet: Fleet) => void;
};

export function startFleetJobs({ db, shards, clickhouse, log, recordFleet }: FleetStores): Job[] {
  const next = staggerStarts();
  return [
    startJob({ name: 'states of relays', pauseMs: SYNC_PAUSE_MS, startAfterMs: next(), log }, async () => {
      recordFleet(await readFleet(db));
    }),
    startJob(
      { name: 'sync of last evaluations', pauseMs: LAST_SEEN_PAUSE_MS, startAfterMs: next(), log },
      () => syncLastSeen(db, clickhouse),
    ),
    startJob(
      { name: 'features of other flag systems', pauseMs: SYNC_PAUSE_MS, startAfterMs: next(), log },
      () => registerFeatures(db, clickhouse),
    ),
    startJob({ name: 'sums of relays by day', pauseMs: ROLL_UP_PAUSE_MS, log }, () =>
      rollUpRelays(shardOfReports(shards)),
    ),
    ...shards.all.flatMap((shard, number) =>
      COPIED_TABLES.map((table) => {
        const name = jobName(table.name, number, shards.all.length);
        const options = { name, pauseMs: SYNC_PAUSE_MS, startAfterMs: next(), log };
        return startJob(options, createSync({ db, shard, log }, table));
      }),
    ),
    startJob(
      { name: 'pruning of applications', pauseMs: PRUNE_PAUSE_MS, startAfterMs: next(), log },
      (ending) => pruneApplications(db, ending),
    ),
    startJob(
      { name: 'pruning of past configurations', pauseMs: PRUNE_PAUSE_MS, startAfterMs: next(), log },
      (ending) => prunePastConfigurations(db, shards.all, ending),
    ),
  ];
}

/** All reports are in one shard, because they are few. */
export function shardOfReports(shards: Shards): ClickHouse {
  return shards.of(0);
}

type SyncStores = Pick<FleetStores, 'db' | 'log'> & { readonly shard: ClickHouse };

/** Each table by itself, so that one that fails does not stop the others. Each shard gets a whole copy. */
function createSync({ db, shard, log }: SyncStores, table: CopiedTable): () => Promise<void> {
  let wholeAt = -Infinity;
  return async () => {
    const now = performance.now();
    const isWhole = now - wholeAt >= WHOLE_SYNC_PAUSE_MS;
    const { removed } = await copyTable({ db, clickhouse: shard }, table, isWhole ? 'all' : 'newest');
    if (isWhole) wholeAt = now;
    if (table.appended !== undefined && removed > 0)
      log.warn(
        { table: table.table, rows: removed },
        'Postgres has lost rows that ClickHouse had copied, so the copies were removed',
      );
  };
}

function jobName(name: string, number: number, shards: number): string {
  return shards === 1 ? `sync of ${name}` : `sync of ${name} to shard ${number + 1}`;
}
