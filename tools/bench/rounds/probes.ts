import { setTimeout as sleep } from 'node:timers/promises';
import { readRows } from '#core/clickhouse';
import { RunError } from '#tooling/stack';
import type { Measurement } from './measurement.ts';
import { quantile } from '../figures.ts';
import type { Target } from './shapes.ts';
import type { BenchWorld } from '../world.ts';

const PAUSE_MS = 200;
/** Each poll is a query of the views. More frequent polls would be a considerable load themselves. */
const LOOK_MS = 250;

/**
 * Sends a batch every 200 ms until the signal is aborted, and polls the views every 250 ms. Measures the time from
 * the acknowledgement of a batch until a view shows it. The polls are part of the load, as the queries of users would
 * be.
 */
export async function probe(
  world: BenchWorld,
  target: Target,
  over: AbortSignal,
): Promise<Measurement['readableMs']> {
  const acknowledgedAt = new Map<string, number>();
  const waits: number[] = [];
  let sent = 0;
  let isSending = true;
  const send = async (): Promise<void> => {
    while (!over.aborted) {
      const name = `probe-${crypto.randomUUID()}`;
      await sendProbe(target, name);
      acknowledgedAt.set(name, performance.now());
      sent += 1;
      await sleep(PAUSE_MS);
    }
    isSending = false;
  };
  const look = async (): Promise<void> => {
    while (isSending || acknowledgedAt.size > 0) {
      for (const name of await readVisible(world, [...acknowledgedAt.keys()])) {
        waits.push(performance.now() - (acknowledgedAt.get(name) ?? 0));
        acknowledgedAt.delete(name);
      }
      await sleep(LOOK_MS);
    }
  };
  await Promise.all([send(), look()]);
  const sums = { rows: sent, yes: sent, no: 0, variants: 0 };
  world.enter({ acknowledged: sums, inDoubt: { rows: 0, yes: 0, no: 0, variants: 0 } });
  return { p50: quantile(waits, 0.5), p95: quantile(waits, 0.95) };
}

async function sendProbe({ url, token }: Target, featureName: string): Promise<void> {
  const metric = { featureName, appName: 'probe', environment: 'production', yes: 1, no: 0 };
  const response = await fetch(`${url}/edge/metrics`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify({ applications: [], metrics: [metric] }),
  });
  await response.arrayBuffer();
  if (response.status !== 202) throw new RunError(`a probe got ${response.status}`);
}

async function readVisible(world: BenchWorld, names: readonly string[]): Promise<string[]> {
  if (names.length === 0) return [];
  const rows = await readRows<{ feature_name: string }>(
    world.clickhouse,
    'select distinct feature_name from usage_by_hour where feature_name in {names:Array(String)}',
    { names },
  );
  return rows.map(({ feature_name }) => feature_name);
}
