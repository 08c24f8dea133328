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

/** Adds up the samples of one block. The result does not depend on their order, but for equal receipt times of a gauge. */
export class ImpactSums {
  readonly #tally: SampleTally = { received: 0, counted: 0, refused: 0, duplicate: 0 };
  readonly #series = new Map<string, SeriesSum>();
  readonly #gauges = new Map<string, GaugeState>();

  /** Adds the samples of a batch. `receivedAt`: its receipt time, epoch milliseconds. */
  add({ received, samples }: BatchImpact, receivedAt: number): void {
    this.#tally.received += received;
    this.#tally.counted += samples.length;
    this.#tally.refused += received - samples.length;
    for (const sample of samples) {
      if (sample.type === 'gauge') this.#addGauge(sample, receivedAt);
      else this.#addSeries(sample);
    }
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
    const sum = this.#series.get(key);
    const buckets = new Map(sum?.buckets);
    if (sample.type === 'histogram')
      for (const { bound, count } of sample.buckets)
        buckets.set(bound, (buckets.get(bound) ?? 0n) + BigInt(count));
    this.#series.set(key, {
      ...series,
      type,
      help,
      samples: (sum?.samples ?? 0) + 1,
      total: (sum?.total ?? 0n) + sample.total,
      observations: (sum?.observations ?? 0n) + BigInt(sample.type === 'histogram' ? sample.observations : 0),
      buckets,
    });
  }

  #addGauge(sample: ImpactSample & ImpactValue & { readonly type: 'gauge' }, at: number): void {
    const { name, appName, environment, instanceId, hour, labelNames, labelValues, help, value } = sample;
    const series = { name, appName, environment, instanceId, hour, labelNames, labelValues };
    const key = JSON.stringify(series);
    const state = this.#gauges.get(key) ?? { at: -1, last: value, lowest: value, highest: value };
    const isLast = at > state.at || (at === state.at && value > state.last);
    this.#gauges.set(key, {
      ...series,
      help,
      at: Math.max(at, state.at),
      last: isLast ? value : state.last,
      lowest: Math.min(value, state.lowest),
      highest: Math.max(value, state.highest),
    });
  }
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
