import { type Block, type GaugeState, type SeriesSum, startOfHourMs } from '#counting';
import { lineOf, toUInt64 } from './row-values.ts';

/** Columns of block_rows that rows of samples fill. */
export const IMPACT_COLUMNS = [
  ...['metric_name', 'metric_type', 'label_names', 'label_values', 'help'],
  ...['samples', 'total', 'observations', 'bucket_bounds', 'bucket_counts'],
  ...['instance_id', 'gauge_at', 'gauge_last', 'gauge_lowest', 'gauge_highest'],
] as const;

/** Their values in other rows. */
export const NO_IMPACT_COLUMNS = ['', '', [], [], '', 0, 0, 0, [], [], '', 0, 0, 0, 0] as const;

/** The rows of counters, histograms and gauges. */
export function* impactLines({ impact }: Block): Generator<string> {
  for (const sum of impact.series) yield seriesLine(sum);
  for (const gauge of impact.gauges) yield gaugeLine(gauge);
}

function seriesLine(sum: SeriesSum): string {
  const { type, name, labelNames, labelValues, help, samples, total, observations, buckets } = sum;
  const counts = Array.from(buckets.values(), toUInt64);
  const sums = [samples, total.toString(), toUInt64(observations), [...buckets.keys()], counts];
  return lineOf([...placeOf('impact', sum), name, type, labelNames, labelValues, help, ...sums]);
}

function gaugeLine(gauge: GaugeState): string {
  const { name, labelNames, labelValues, help, instanceId, at, last, lowest, highest } = gauge;
  const names = [name, 'gauge', labelNames, labelValues, help];
  const values = [instanceId, (at / 1000).toFixed(3), last, lowest, highest];
  return lineOf([...placeOf('gauge', gauge), ...names, 0, 0, 0, [], [], ...values]);
}

type Place = Pick<SeriesSum, 'appName' | 'environment' | 'hour'>;

/** The columns before those of samples. */
function placeOf(kind: 'impact' | 'impact_mark' | 'gauge', { appName, environment, hour }: Place): unknown[] {
  return [
    kind,
    '',
    appName,
    environment,
    startOfHourMs(hour) / 1000,
    0,
    0,
    0,
    [],
    [],
    '',
    '',
    '',
    '',
    '',
    '',
  ];
}

/** The marker of a block for one hour of its samples. */
export function impactMarkerLine(
  place: Place,
  sums: { readonly messages: string; readonly total: bigint; readonly observations: bigint },
): string {
  const { messages, total, observations } = sums;
  const values = [messages, total.toString(), toUInt64(observations)];
  return lineOf([...placeOf('impact_mark', place), '', '', [], [], '', ...values]);
}
