import { Counter, Gauge, Histogram, type Registry } from '#base/runtime';

export type PassMetrics = ReturnType<typeof createPassMetrics>;

/**
 * `answered`: the client got the whole answer. `cut`: Unleash broke off during the answer. `left`: the client left. The other
 * outcomes have no answer of Unleash. `unreachable`: no connection or an invalid answer. `timeout`: too slow. `full`: too many
 * open requests. `rejected`: a request that we do not pass on.
 */
export type PassOutcome = 'answered' | 'cut' | 'left' | 'unreachable' | 'timeout' | 'full' | 'rejected';

const UNANSWERED = ['unreachable', 'timeout', 'full', 'rejected'] as const satisfies readonly PassOutcome[];

export type PassGauges = {
  readonly requests: () => number;
  readonly streams: () => number;
};

export function createPassMetrics(registry: Registry, gauges: PassGauges) {
  const registers = [registry];
  createGauge(
    'flagmeter_pass_requests_open',
    'Requests and streams that are passed to Unleash now',
    gauges.requests,
  );
  createGauge('flagmeter_pass_streams_open', 'Streams of server-sent events among them', gauges.streams);
  function createGauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  }
  const requests = new Counter({
    name: 'flagmeter_pass_requests_total',
    help: 'Requests for Unleash by outcome and by the class of the status, such as 2xx',
    labelNames: ['outcome', 'status'],
    registers,
  });
  // Set to 0 at the start, because rate() does not see a series that begins with its first failure.
  for (const outcome of UNANSWERED) requests.inc({ outcome, status: 'none' }, 0);
  return {
    requests,
    seconds: new Histogram({
      name: 'flagmeter_pass_first_byte_seconds',
      help: 'Time from the head of a request to the head of the answer of Unleash',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
  };
}
