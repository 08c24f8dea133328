import { startOfHourMs } from '#base/schema';
import type { Block, GaugeState, SeriesSum } from '#core/counting';
import { lineOf, toDateTime64, toUInt64 } from './row-values.ts';

/** The rows of counters, histograms and gauges. */
export function* impactLines({ impact }: Block): Generator<string> {
  for (const sum of impact.series) yield seriesLine(sum);
  for (const gauge of impact.gauges) yield gaugeLine(gauge);
}

function seriesLine(series: SeriesSum): string {
  const sums = {
    samples: series.samples,
    total: series.total.toString(),
    observations: toUInt64(series.observations),
    bucket_bounds: [...series.buckets.keys()],
    bucket_counts: Array.from(series.buckets.values(), toUInt64),
  };
  return lineOf({ kind: 'impact', ...keyColumns(series), ...metricOf(series, series.type), impact: [sums] });
}

function gaugeLine(gauge: GaugeState): string {
  const { instanceId, at, last, lowest, highest } = gauge;
  const values = { instance_id: instanceId, at: toDateTime64(at), last, lowest, highest };
  return lineOf({ kind: 'gauge', ...keyColumns(gauge), ...metricOf(gauge, 'gauge'), gauge: [values] });
}

type SampleKey = Pick<SeriesSum, 'appName' | 'environment' | 'hour'>;

function keyColumns({ appName, environment, hour }: SampleKey) {
  return { app_name: appName, environment, hour: startOfHourMs(hour) / 1000 };
}

function metricOf(metric: SeriesSum | GaugeState, type: string) {
  const { name, labelNames, labelValues, help } = metric;
  return { metric: [{ name, type, label_names: labelNames, label_values: labelValues, help }] };
}

/** The marker of a block for one hour of its samples. */
export function impactMarkerLine(
  key: SampleKey,
  sums: { readonly messages: string; readonly total: bigint; readonly observations: bigint },
): string {
  const { messages, total, observations } = sums;
  const impact = { samples: messages, total: total.toString(), observations: toUInt64(observations) };
  return lineOf({ kind: 'impact_mark', ...keyColumns(key), metric: [{}], impact: [impact] });
}
