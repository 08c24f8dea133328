import { freePort, startCollector } from '../../../../tools/stack/index.ts';
import { type OwnEngine, own } from './own-engines.ts';

export type OwnCollector = OwnEngine & {
  /** Takes all signals and sends them on. Cumulative counters become deltas. */
  readonly url: string;
  /** Takes log records, counts them, and sends the counts on. */
  readonly countingUrl: string;
};

/**
 * A real Collector that belongs to one test file and sends to a flagmeter. `prepareCollector` must have built it. Its batches are large,
 * so that each has an instance with two times, by which flagmeter recognises a repeated one.
 */
export async function ownCollector(flagmeter: string, secret: string): Promise<OwnCollector> {
  const [port, countingPort] = [await freePort(), await freePort()];
  const configuration = configurationOf({ port, countingPort, flagmeter, secret });
  const engine = await own((directory) => startCollector({ directory, port, configuration }));
  return { ...engine, url: engine.address, countingUrl: `http://127.0.0.1:${countingPort}` };
}

type Wiring = {
  readonly port: number;
  readonly countingPort: number;
  readonly flagmeter: string;
  readonly secret: string;
};

function configurationOf({ port, countingPort, flagmeter, secret }: Wiring): object {
  return {
    receivers: { 'otlp/all': otlpOn(port), 'otlp/counted': otlpOn(countingPort) },
    processors: {
      'batch/records': batchOf(200),
      'batch/spans': batchOf(50), // exceptions of Python have long texts
      'batch/points': batchOf(30),
      cumulative_to_delta: {},
    },
    connectors: { count: { logs: { 'feature_flag.evaluations': EVALUATIONS } } },
    exporters: {
      otlp_http: {
        endpoint: flagmeter,
        headers: { Authorization: `Bearer ${secret}` },
        // One request after the other, so that a story knows when nothing is repeated any more: a Collector that stops repeats nothing.
        sending_queue: { num_consumers: 1 },
        retry_on_failure: { initial_interval: '50ms', max_interval: '500ms', max_elapsed_time: '0s' },
      },
    },
    service: {
      telemetry: { metrics: { level: 'none' } },
      pipelines: {
        'logs/all': pipe(['otlp/all'], ['batch/records'], ['otlp_http']),
        'traces/all': pipe(['otlp/all'], ['batch/spans'], ['otlp_http']),
        'metrics/all': pipe(['otlp/all'], ['cumulative_to_delta', 'batch/points'], ['otlp_http']),
        'logs/counted': pipe(['otlp/counted'], [], ['count']),
        'metrics/counted': pipe(['count'], ['batch/points'], ['otlp_http']),
      },
    },
  };
}

/** The connector leaves out records without one of its attributes, unless there is a default. */
const EVALUATIONS = {
  conditions: ['log.event_name == "feature_flag.evaluation"'],
  attributes: [
    { key: 'feature_flag.key' },
    { key: 'feature_flag.result.variant', default_value: '' },
    { key: 'feature_flag.result.reason', default_value: 'unknown' },
    { key: 'error.type', default_value: '' },
  ],
};

function otlpOn(port: number): object {
  return { protocols: { http: { endpoint: `127.0.0.1:${port}` } } };
}

/** Waits until a batch is full, or until the Collector stops. */
function batchOf(size: number): object {
  return { send_batch_size: size, send_batch_max_size: size, timeout: '600s' };
}

function pipe(
  receivers: readonly string[],
  processors: readonly string[],
  exporters: readonly string[],
): object {
  return { receivers, processors, exporters };
}
