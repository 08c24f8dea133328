import type { ClickHouse } from '#core/clickhouse';
import type { Postgres } from '#base/postgres';
import type { RelayReport } from '#fleet/relays';
import { insertRows } from '../sync/rows.ts';
import { forgetOldest, readKnownRelays, writeRelays } from './known-relays.ts';
import { type ArrivedRelay, type KnownRelay, keyOf, reportRowOf, updated } from './report-row.ts';

/** A report, and when Kafka stored it (epoch milliseconds). */
export type ArrivedReport = RelayReport & { readonly receivedAt: number };

/** The largest difference that we expect between the clocks of the broker and of this host. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Stores reports in the order of the log: first the rows of ClickHouse, then the state in Postgres. A report that is stored again
 * changes nothing: before the state was written, its rows are equal to the earlier ones; afterwards, it is not newer than the
 * state. A state that is in the future, because the clock of the broker was ahead, hides no later report. Returns the number of
 * stored relays.
 */
export async function storeRelayReports(
  { db, clickhouse }: { readonly db: Postgres; readonly clickhouse: ClickHouse },
  reports: readonly ArrivedReport[],
): Promise<number> {
  const arrived = reports.flatMap(relaysOf);
  if (arrived.length === 0) return 0;
  const relays = await readKnownRelays(db, arrived);
  const now = Date.now() + CLOCK_SLACK_MS;
  const rows: object[] = [];
  const changed = new Map<string, KnownRelay>();
  for (const one of arrived) {
    const key = keyOf(one);
    const before = relays.get(key);
    if (before !== undefined && one.receivedAt <= before.lastReportAt && before.lastReportAt <= now) continue;
    const after = updated(one, before);
    rows.push(reportRowOf(one, after));
    relays.set(key, after);
    changed.set(key, after);
  }
  await insertRows(clickhouse, 'relay_reports', rows);
  await writeRelays(db, [...changed.values()]);
  await forgetOldest(db, [...changed.values()]);
  return rows.length;
}

function relaysOf({ relays, ...report }: ArrivedReport): ArrivedRelay[] {
  const [root] = relays;
  if (root === undefined) return [];
  const parents = new Map<string, string[]>();
  for (const { relayId, parentId } of relays)
    if (parentId !== undefined) parents.set(parentId, [...(parents.get(parentId) ?? []), relayId]);
  return relays.map((relay) => ({
    ...report,
    ...relay,
    rootId: root.relayId,
    nested: countNested(relay.relayId, parents),
  }));
}

/** Two relays that name each other as parent are counted once. */
function countNested(relayId: string, children: ReadonlyMap<string, readonly string[]>): number {
  const seen = new Set<string>([relayId]);
  for (const id of seen) for (const child of children.get(id) ?? []) seen.add(child);
  return seen.size - 1;
}
