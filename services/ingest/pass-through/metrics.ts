import { Counter, Gauge, Histogram, type Registry } from '#runtime';

export type PassMetrics = ReturnType<typeof createPassMetrics>;

/**
 * `answered`: the whole answer went to the client. `cut`: Unleash broke off in it. `left`: the client did not wait. The others got no
 * answer of Unleash: not reached or garbage, too slow, rejected because too many are open, rejected for what was asked.
 */
export type PassOutcome = 'answered' | 'cut' | 'left' | 'unreachable' | 'timeout' | 'full' | 'rejected';

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
  return {
    requests: new Counter({
      name: 'flagmeter_pass_requests_total',
      help: 'Requests for Unleash by outcome and by the class of the status, such as 2xx',
      labelNames: ['outcome', 'status'],
      registers,
    }),
    seconds: new Histogram({
      name: 'flagmeter_pass_first_byte_seconds',
      help: 'Time from the head of a request to the head of the answer of Unleash',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
  };
}
