import type { BatchImpact, ImpactSample, ImpactSeries, ImpactValue } from './impact-sample.ts';

/** Counters or histograms of a series, added up for one hour. The totals are billionths. */
export type SeriesSum = Omit<ImpactSeries, 'instanceId'> & {
  readonly type: 'counter' | 'histogram';
  readonly help: string;
  readonly samples: number;
  readonly total: bigint;
  readonly observations: bigint;
  /** By bound; none for a counter. */
  readonly buckets: ReadonlyMap<string, bigint>;
};

/** A gauge of an instance in one hour. */
export type GaugeState = ImpactSeries & {
  readonly help: string;
  /** Receipt time of the last value, epoch milliseconds. */
  readonly at: number;
  readonly last: number;
  readonly lowest: number;
  readonly highest: number;
};

/** The sums of all series of an hour or a day, which prove that the tables agree. */
export type ImpactTimeSums = { samples: bigint; total: bigint; observations: bigint };

/** Samples by their outcome. Those of a message that cannot be decoded are not known. */
export type SampleTally = { received: number; counted: number; refused: number; duplicate: number };

/** The samples of one block. The sums by hours and by days (since the epoch) leave gauges out. */
export type BlockImpact = {
  readonly tally: SampleTally;
  readonly series: readonly SeriesSum[];
  readonly gauges: readonly GaugeState[];
  readonly hours: ReadonlyMap<number, ImpactTimeSums>;
  readonly days: ReadonlyMap<number, ImpactTimeSums>;
};

/** Adds up the samples of one block. The result does not depend on the order of its batches. */
export class ImpactSums {
  readonly #tally: SampleTally = { received: 0, counted: 0, refused: 0, duplicate: 0 };
  readonly #series = new Map<string, GrowingSum>();
  readonly #gauges = new Map<string, GaugeState>();

  /** Adds the samples of a batch. `receivedAt`: its receipt time, epoch milliseconds. */
  add({ received, samples }: BatchImpact, receivedAt: number): void {
    this.#tally.received += received;
    this.#tally.counted += samples.length;
    this.#tally.refused += received - samples.length;
    const gauges = new Map<string, GaugeState>();
    for (const sample of samples) {
      // Of two values in one batch the later one is the last, as in Unleash. Edge 20.1 sends such batches.
      if (sample.type === 'gauge') addGauge(gauges, gaugeOf(sample, receivedAt), () => true);
      else this.#addSeries(sample);
    }
    for (const gauge of gauges.values()) addGauge(this.#gauges, gauge, isNewer);
  }

  addDuplicate({ received }: BatchImpact): void {
    this.#tally.received += received;
    this.#tally.duplicate += received;
  }

  result(): BlockImpact {
    const series = [...this.#series.values()];
    const hours = sumHours(series);
    return { tally: this.#tally, series, gauges: [...this.#gauges.values()], hours, days: sumDays(hours) };
  }

  #addSeries({ instanceId: _, ...sample }: ImpactSample & { readonly type: SeriesSum['type'] }): void {
    const { type, name, appName, environment, hour, labelNames, labelValues, help } = sample;
    const series = { name, appName, environment, hour, labelNames, labelValues };
    const key = JSON.stringify([type, series]);
    const sum = this.#series.get(key) ?? { ...series, type, ...NOTHING, buckets: new Map<string, bigint>() };
    this.#series.set(key, sum);
    sum.help = help;
    sum.samples += 1;
    sum.total += sample.total;
    if (sample.type === 'counter') return;
    sum.observations += BigInt(sample.observations);
    for (const { bound, count } of sample.buckets)
      sum.buckets.set(bound, (sum.buckets.get(bound) ?? 0n) + BigInt(count));
  }
}

/** Changed in place: a copy of all buckets for each sample of a block with many bounds would take hours. */
type GrowingSum = Omit<SeriesSum, 'help' | 'samples' | 'total' | 'observations' | 'buckets'> & {
  help: string;
  samples: number;
  total: bigint;
  observations: bigint;
  readonly buckets: Map<string, bigint>;
};

const NOTHING = { help: '', samples: 0, total: 0n, observations: 0n };

function gaugeOf(sample: ImpactSample & ImpactValue & { readonly type: 'gauge' }, at: number): GaugeState {
  const { type: _, value, ...series } = sample;
  return { ...series, at, last: value, lowest: value, highest: value };
}

function addGauge(
  gauges: Map<string, GaugeState>,
  added: GaugeState,
  isLast: (added: GaugeState, known: GaugeState) => boolean,
): void {
  const { name, appName, environment, instanceId, hour, labelNames, labelValues } = added;
  const key = JSON.stringify([name, appName, environment, instanceId, hour, labelNames, labelValues]);
  const known = gauges.get(key) ?? added;
  gauges.set(key, {
    ...(isLast(added, known) ? added : known),
    lowest: Math.min(added.lowest, known.lowest),
    highest: Math.max(added.highest, known.highest),
  });
}

/** Of two batches of the same millisecond, the greater value, so that the order of batches does not matter. */
function isNewer(added: GaugeState, known: GaugeState): boolean {
  return added.at > known.at || (added.at === known.at && added.last > known.last);
}

/** The sums of the series of each hour (since the epoch). */
function sumHours(series: readonly SeriesSum[]): Map<number, ImpactTimeSums> {
  const hours = new Map<number, ImpactTimeSums>();
  for (const { hour, samples, ...sums } of series) addTo(hours, hour, { ...sums, samples: BigInt(samples) });
  return hours;
}

/** The sums of each day (since the epoch). */
function sumDays(hours: ReadonlyMap<number, ImpactTimeSums>): Map<number, ImpactTimeSums> {
  const days = new Map<number, ImpactTimeSums>();
  for (const [hour, sums] of hours) addTo(days, Math.floor(hour / 24), sums);
  return days;
}

function addTo(times: Map<number, ImpactTimeSums>, time: number, added: ImpactTimeSums): void {
  const sum = times.get(time) ?? { samples: 0n, total: 0n, observations: 0n };
  times.set(time, sum);
  sum.samples += added.samples;
  sum.total += added.total;
  sum.observations += added.observations;
}
