import { once } from 'node:events';
import { type ArrivedReport, storeRelayReports } from '#fleet/catalogue';
import type { ClickHouse } from '#core/clickhouse';
import type { BatchConsumer, FetchedBatch } from '#core/kafka';
import { decodeRelayReport } from '#fleet/relays';
import { createBackoff } from '#base/runtime';
import type { Postgres } from '#base/postgres';
import { untilDone } from '../waiting.ts';
import { type FleetConsumerOptions, consumeSlowly } from './consume-slowly.ts';

type RelayReportsOptions = FleetConsumerOptions & {
  readonly db: Postgres;
  readonly clickhouse: ClickHouse;
};

export type KeepOptions = Omit<RelayReportsOptions, 'onCrash'>;

/** Bounds the memory and the time of one transaction. */
const REPORTS_AT_ONCE = 200;

/**
 * Stores the reports of relays, at least once: a repeated one changes nothing. They are no counts, so a message that cannot be
 * decoded is logged and left out.
 */
function consumeRelayReports(options: RelayReportsOptions): Promise<BatchConsumer> {
  // The worker is ready without them.
  return consumeSlowly({ ...options, troubles: undefined }, (batch) => handle(options, batch));
}

async function handle(options: RelayReportsOptions, batch: FetchedBatch): Promise<void> {
  const { topic, metrics } = options;
  const { group, partition } = batch;
  const log = options.log.child({ topic, partition });
  const reports: ArrivedReport[] = [];
  for (const { offset, value, appendedAt } of batch.messages) {
    const report = decodeRelayReport(value);
    if (report === undefined)
      log.warn({ offset: offset.toString() }, 'report of a relay left out, it cannot be decoded');
    else reports.push({ ...report, receivedAt: appendedAt });
  }
  for (let start = 0; start < reports.length; start += REPORTS_AT_ONCE) {
    const some = reports.slice(start, start + REPORTS_AT_ONCE);
    const stored = await untilDone({ group, metrics, log }, 'store relay reports', () =>
      storeRelayReports(options, some),
    );
    metrics.relayReports.inc(stored);
  }
  await group.commit(batch.position, '');
  metrics.lag.set({ topic, partition }, batch.lag);
  batch.advance();
}

/**
 * Consumes the reports until `signal` aborts. If it cannot, for example because access to the topic is denied, it logs that and begins
 * again: a failure here must not end the process, which also counts.
 */
export async function keepRelayReports(options: KeepOptions): Promise<void> {
  const { signal } = options;
  const backoff = createBackoff({ firstMs: 2000, maxMs: 60_000 });
  while (!signal.aborted) {
    await consumeUntilCrash(options);
    await backoff.wait(signal);
  }
}

async function consumeUntilCrash(options: KeepOptions): Promise<void> {
  const { log, signal } = options;
  const crash = new AbortController();
  const onCrash = (err: unknown): void => {
    log.error({ err }, 'reports of relays are not stored, tried again');
    crash.abort();
  };
  try {
    const consumer = await consumeRelayReports({ ...options, onCrash });
    const end = AbortSignal.any([signal, crash.signal]);
    if (!end.aborted) await once(end, 'abort');
    await consumer.stop();
  } catch (error) {
    onCrash(error);
  }
}
