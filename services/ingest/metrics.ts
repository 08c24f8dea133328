import { Counter, Gauge, Histogram, type Registry } from '#runtime';

export type IngestMetrics = ReturnType<typeof createIngestMetrics>;

export function createIngestMetrics(registry: Registry, readBytesInFlight: () => number) {
  const registers = [registry];
  new Gauge({
    name: 'flagmeter_ingest_bytes_in_flight',
    help: 'Bytes of requests that are read or wait for Kafka',
    registers,
    collect() {
      this.set(readBytesInFlight());
    },
  });
  return {
    requests: new Counter({
      name: 'flagmeter_ingest_requests_total',
      help: 'Requests by answer; "none" is an unknown outcome that got no answer',
      labelNames: ['answer'],
      registers,
    }),
    received: new Counter({
      name: 'flagmeter_ingest_metrics_received_total',
      help: 'Metrics in acknowledged batches',
      registers,
    }),
    refused: new Counter({
      name: 'flagmeter_ingest_metrics_refused_total',
      help: 'Metrics of acknowledged batches that are not counted, by reason',
      labelNames: ['reason'],
      registers,
    }),
    sends: new Counter({
      name: 'flagmeter_ingest_kafka_sends_total',
      help: 'Sends to Kafka by topic, outcome and reason',
      labelNames: ['topic', 'outcome', 'reason'],
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
