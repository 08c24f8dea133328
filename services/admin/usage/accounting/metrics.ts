import type { AccountingReader, ComparedAccounting, PartitionAccounting } from '#core/accounting';
import { REFUSAL_REASONS } from '#core/counting';
import { Gauge, type Log, type Registry, shareReads, withDeadline } from '#base/runtime';

/** A scrape reads the accounting again if the last reading is older than this. Reading takes a quarter of the time at most. */
const FRESH_MS = 10_000;
const REST_FACTOR = 3;
/** A scrape waits at most this long for a reading; after that it gets the previous one. */
const SCRAPE_WAIT_MS = 2000;

const OUTCOMES = ['received', 'counted', 'refused', 'duplicate', 'dead'] as const;

/**
 * Exports the accounting as gauges, with the same numbers as `reconcile`. Each reading comes from the engines, so restarts and
 * further workers do not change it. While it cannot be read, only `flagmeter_accounting_readable` remains.
 */
export function registerAccountingMetrics(registry: Registry, accounting: AccountingReader, log: Log): void {
  const refresh = createRefresh(accounting, log, (compared) => {
    show(gauges, compared);
  });
  const gauges = createGauges(registry, async () => {
    await withDeadline(refresh(), SCRAPE_WAIT_MS, 'slow').catch(() => undefined);
  });
}

type Gauges = ReturnType<typeof createGauges>;

function createGauges(registry: Registry, collect: () => Promise<void>) {
  const create = (name: string, help: string, labelNames: readonly string[] = []) =>
    new Gauge({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect,
    });
  const place = ['epoch', 'partition'];
  const gauges = {
    readable: create('flagmeter_accounting_readable', 'Whether the accounting can be read (1) or not (0)'),
    balanced: create('flagmeter_accounting_balanced', 'Whether the accounting agrees (1) or not (0)'),
    metrics: create('flagmeter_accounting_metrics', 'Metrics in stored blocks, by outcome', [
      ...place,
      'outcome',
    ]),
    refused: create('flagmeter_accounting_refused_metrics', 'Refused metrics in stored blocks, by reason', [
      ...place,
      'reason',
    ]),
    inFlight: create(
      'flagmeter_accounting_in_flight_messages',
      'Messages in the log that are not counted yet',
      place,
    ),
    gaps: create(
      'flagmeter_accounting_gaps',
      'Blocks that begin behind the end of the one before, or the first one behind the start of the topic',
      place,
    ),
    overlaps: create(
      'flagmeter_accounting_overlaps',
      'Blocks that begin before the end of the one before',
      place,
    ),
  };
  gauges.balanced.remove(); // unknown until the accounting is read
  return gauges;
}

/** Reads the accounting again if the last reading is too old. Never rejects: `onRead` gets undefined while it cannot be read. */
function createRefresh(
  accounting: AccountingReader,
  log: Log,
  onRead: (compared: ComparedAccounting | undefined) => void,
): () => Promise<void> {
  let isFailing = false;
  const restMs = (durationMs: number): number => Math.max(FRESH_MS, REST_FACTOR * durationMs);
  return shareReads(restMs, async () => {
    try {
      onRead(await accounting.readAgreed());
      isFailing = false;
    } catch (err) {
      // Logged once, because every scrape would log the same while an engine is unreachable.
      if (!isFailing) log.warn({ err }, 'accounting not read');
      isFailing = true;
      onRead(undefined);
    }
  });
}

function show(gauges: Gauges, compared: ComparedAccounting | undefined): void {
  const { readable, balanced, ...ofPartitions } = gauges;
  for (const gauge of Object.values(ofPartitions)) gauge.reset();
  readable.set(compared === undefined ? 0 : 1);
  if (compared === undefined) {
    balanced.remove();
    return;
  }
  balanced.set(compared.differences.length === 0 ? 1 : 0);
  for (const partition of compared.accounting.partitions) showPartition(ofPartitions, partition);
}

function showPartition(gauges: Omit<Gauges, 'readable' | 'balanced'>, numbers: PartitionAccounting): void {
  const { metrics, refused, inFlight, gaps, overlaps } = gauges;
  const place = { epoch: numbers.epoch, partition: numbers.partition };
  for (const outcome of OUTCOMES) metrics.set({ ...place, outcome }, numbers[outcome]);
  for (const [reason, count] of Object.entries(numbers.refusedByReason))
    refused.inc({ ...place, reason: knownReason(reason) }, count);
  inFlight.set(place, Number(numbers.inFlight));
  gaps.set(place, numbers.gaps);
  overlaps.set(place, numbers.overlaps);
}

/** Bounds the number of labels, whatever is stored. */
function knownReason(reason: string): string {
  return REFUSAL_REASONS.find((known) => known === reason) ?? 'other';
}
