import { hourOf } from '#base/schema';
import { type DistinctNames, NAME_KINDS } from '#core/counting';
import { BODY_PROBLEMS } from '#base/http';
import { Counter, Gauge, Histogram, type Registry } from '#base/runtime';
import type { Admission } from './bodies/admission.ts';
import type { KnownRegistrations } from './publish/known-registrations.ts';
import type { Publisher } from './publish/publisher.ts';

export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

/** Values that are read for each scrape of the metrics. */
export type IngestGauges = {
  readonly admission: Pick<Admission, 'bytes' | 'requests' | 'largestShare'>;
  readonly openPartitions: Publisher['openPartitions'];
  readonly waitingTokens: () => number;
  readonly areRatesShared: () => boolean;
  readonly names: Pick<DistinctNames, 'largestShare'>;
  readonly knownRegistrations: Pick<KnownRegistrations, 'size'>;
};

export function createIngestMetrics(registry: Registry, gauges: IngestGauges) {
  createRoomGauges(registry, gauges.admission);
  createGauges(registry, gauges);
  const registers = [registry];
  return {
    ...createFurtherCounters(registry),
    rejectedBodies: createRejectedBodies(registry),
    requests: new Counter({
      name: 'flagmeter_ingest_requests_total',
      help: 'Requests by answer; "none" means no answer, because the outcome is unknown',
      labelNames: ['answer'],
      registers,
    }),
    received: new Counter({
      name: 'flagmeter_ingest_metrics_received_total',
      help: 'Metrics in acknowledged batches',
      registers,
    }),
    registrations: new Counter({
      name: 'flagmeter_ingest_registrations_total',
      help: 'Registrations in acknowledged batches: "sent" to Kafka, or "known" because Kafka acknowledged an equal one in this minute',
      labelNames: ['outcome'],
      registers,
    }),
    refused: new Counter({
      name: 'flagmeter_ingest_metrics_refused_total',
      help: 'Metrics of acknowledged batches that are not counted, by reason',
      labelNames: ['reason'],
      registers,
    }),
    relayReports: new Counter({
      name: 'flagmeter_ingest_relay_reports_total',
      help: 'Reports of relays about themselves, by outcome: that of the send to Kafka, or invalid',
      labelNames: ['outcome'],
      registers,
    }),
    sends: new Counter({
      name: 'flagmeter_ingest_kafka_sends_total',
      help: 'Sends to Kafka by topic, outcome and reason',
      labelNames: ['topic', 'outcome', 'reason'],
      registers,
    }),
    clockAhead: new Gauge({
      name: 'flagmeter_ingest_clock_ahead_seconds',
      help: 'How far the clock of this process is ahead of that of the leader, as far as the last stored send shows; negative if it is behind',
      labelNames: ['topic', 'partition'],
      registers,
    }),
    seconds: new Histogram({
      name: 'flagmeter_ingest_request_seconds',
      help: 'Time from the headers of a request to its acknowledgement',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    }),
  };
}

/** Each problem from the start, so that the increase shows the first one. */
function createRejectedBodies(registry: Registry) {
  const counter = new Counter({
    name: 'flagmeter_ingest_rejected_bodies_total',
    help: 'Requests with a body that is not accepted, or a token that may not send it, by problem',
    labelNames: ['problem'],
    registers: [registry],
  });
  for (const problem of BODY_PROBLEMS) counter.inc({ problem }, 0);
  return counter;
}

/** What a counter of metrics alone does not show. */
function createFurtherCounters(registry: Registry) {
  const registers = [registry];
  return {
    throttledSeconds: new Counter({
      name: 'flagmeter_ingest_kafka_throttled_seconds_total',
      help: 'Seconds for which brokers wanted no sends, because a quota of Kafka was exceeded',
      registers,
    }),
    unmirrored: new Counter({
      name: 'flagmeter_ingest_unmirrored_total',
      help: 'What Unleash does not get because the mirror is off, by kind: metrics, samples or applications',
      labelNames: ['kind'],
      registers,
    }),
    receivedSamples: new Counter({
      name: 'flagmeter_ingest_samples_received_total',
      help: 'Samples of impact metrics in acknowledged batches',
      registers,
    }),
    otlpIgnored: new Counter({
      name: 'flagmeter_ingest_otlp_ignored_total',
      help: 'Log records, spans and metrics of OpenTelemetry that hold no evaluation, by signal',
      labelNames: ['signal'],
      registers,
    }),
    refusedSamples: new Counter({
      name: 'flagmeter_ingest_samples_refused_total',
      help: 'Samples of impact metrics of acknowledged batches that are not counted, by reason',
      labelNames: ['reason'],
      registers,
    }),
  };
}

/** Counts what was stored and does not reach Unleash, by kind. */
export function countUnmirrored(
  { unmirrored }: IngestMetrics,
  stored: Readonly<Record<string, number>>,
): void {
  for (const [kind, count] of Object.entries(stored)) if (count > 0) unmirrored.inc({ kind }, count);
}

function createRoomGauges(registry: Registry, admission: IngestGauges['admission']): void {
  const registers = [registry];
  new Gauge({
    name: 'flagmeter_ingest_bytes_in_flight',
    help: 'Bytes of requests that are read or wait for Kafka',
    registers,
    collect() {
      this.set(admission.bytes);
    },
  });
  new Gauge({
    name: 'flagmeter_ingest_requests_in_flight',
    help: 'Requests that are read or wait for Kafka',
    registers,
    collect() {
      this.set(admission.requests);
    },
  });
  new Gauge({
    name: 'flagmeter_ingest_room_share',
    help: 'Largest share of its quarter of the room that any token uses; 1 means all of it',
    registers,
    collect() {
      this.set(admission.largestShare());
    },
  });
}

function createGauges(
  registry: Registry,
  { openPartitions, names, knownRegistrations, waitingTokens, areRatesShared }: IngestGauges,
): void {
  const registers = [registry];
  new Gauge({
    name: 'flagmeter_ingest_token_lookups_waiting',
    help: 'Tokens that wait to be looked up in Postgres',
    registers,
    collect() {
      this.set(waitingTokens());
    },
  });
  new Gauge({
    name: 'flagmeter_ingest_rates_shared',
    help: '1 while all processes share their request counts per token, 0 while they do not reach one another and each limits alone',
    registers,
    collect() {
      this.set(areRatesShared() ? 1 : 0);
    },
  });
  new Gauge({
    name: 'flagmeter_breaker_open',
    help: 'Partitions whose circuit breaker is open because Kafka keeps rejecting, by topic',
    labelNames: ['topic'],
    registers,
    collect() {
      for (const { topic, partitions } of openPartitions()) this.set({ topic }, partitions);
    },
  });
  new Gauge({
    name: 'flagmeter_ingest_known_registrations',
    help: 'Registrations that Kafka acknowledged in this minute, at most 20,000 of which are remembered',
    registers,
    collect() {
      this.set(knownRegistrations.size);
    },
  });
  new Gauge({
    name: 'flagmeter_ingest_names_share',
    help: 'Largest share of its distinct names of this hour that any token has used, by kind; 1 means all',
    labelNames: ['kind'],
    registers,
    collect() {
      for (const kind of NAME_KINDS) this.set({ kind }, names.largestShare(kind, hourOf(Date.now())));
    },
  });
}
