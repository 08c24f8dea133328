import {
  AggregatorRegistry,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';

/** The metrics of one process as data; undefined if it does not answer. */
export type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[] | undefined;

const UP = 'flagmeter_process_up';

/**
 * The metrics of several processes as one exposition: each series has the label `process`, each family its help and type once.
 * `flagmeter_process_up` says which of them answered.
 */
export async function mergeMetrics(metricsOf: Readonly<Record<string, MetricsOfProcess>>): Promise<string> {
  const up = new Registry();
  const gauge = new Gauge({
    name: UP,
    help: 'Whether a process showed its metrics (1) or not (0)',
    labelNames: ['process'],
    registers: [up],
  });
  const labelled = Object.entries(metricsOf).map(([process, metrics = []]) => {
    gauge.set({ process }, metricsOf[process] === undefined ? 0 : 1);
    return metrics.map((metric) => ({
      ...metric,
      // No two series have equal labels, so that nothing is really added up; some metrics ask to be left out instead.
      aggregator: 'sum' as const,
      values: metric.values.map((sample) => ({
        ...sample,
        // JSON knows no NaN.
        value: (sample.value as number | null) ?? NaN,
        labels: { process, ...sample.labels },
      })),
    }));
  });
  return AggregatorRegistry.aggregate([...labelled, await up.getMetricsAsJSON()]).metrics();
}
