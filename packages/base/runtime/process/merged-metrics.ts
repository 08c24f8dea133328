import { Gauge, type MetricObjectWithValues, type MetricValue, Registry } from '@prometheus-io/client';

/** The metrics of one process as data; undefined if the process does not answer. */
export type MetricsOfProcess = readonly MetricObjectWithValues<MetricValue<string>>[] | undefined;

const UP = 'flagmeter_process_up';

/**
 * Merges the metrics of several processes into one exposition. Each series gets the label `process`; each family has its help
 * and type once. `flagmeter_process_up` shows which processes answered.
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
      // All series have different labels, so nothing is really summed. Set here because some metrics ask to be left out.
      aggregator: 'sum' as const,
      values: metric.values.map((sample) => ({
        ...sample,
        // JSON has no NaN and writes null.
        value: (sample.value as number | null) ?? NaN,
        labels: { process, ...sample.labels },
      })),
    }));
  });
  return Registry.aggregate([...labelled, await up.getMetricsAsJSON()]).metrics();
}
