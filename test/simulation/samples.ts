import type { ImpactMetric } from '../../tools/relay/index.ts';

/**
 * What relays measure. Three counters or histograms in turn have one series, as those of an SDK do. Their values are powers of 1,000,
 * so the sum of a series shows how often it has each sample, even if one is lost and another one doubled.
 */
export type SampleKind = 'counter' | 'histogram' | 'gauge' | 'refused';

const PER_SERIES = 3;
const BASE = 1000;
/** The first value, a thousandth, in billionths. */
const FIRST_BILLIONTHS = 1_000_000n;

/** A measured sample; `name` is that of its metric. */
export type Measured = { readonly id: string; readonly name: string; readonly kind: SampleKind };

/** The sample with this number, beginning at 0, of a relay. */
export function measure(
  relay: string,
  kind: SampleKind,
  number: number,
): Measured & { metric: ImpactMetric } {
  const isSummed = kind === 'counter' || kind === 'histogram';
  const name = `${relay}-${kind}-${isSummed ? Math.floor(number / PER_SERIES) : number}`;
  const place = number % PER_SERIES;
  const head = { name, help: 'measured' };
  const labels = { checkout: 'enabled', shop: 7 };
  const value = BASE ** place / BASE;
  const count = BASE ** place;
  const buckets = [
    { le: 1, count },
    { le: '+Inf' as const, count },
  ];
  const metrics: Record<SampleKind, ImpactMetric> = {
    counter: { ...head, type: 'counter', samples: [{ labels, value }] },
    histogram: { ...head, type: 'histogram', samples: [{ labels, count, sum: value, buckets }] },
    gauge: { ...head, type: 'gauge', samples: [{ labels, value }] },
    refused: { ...head, type: 'counter', samples: [{ labels, value: -1 }] },
  };
  return { id: isSummed ? idOf(name, place) : name, name, kind, metric: metrics[kind] };
}

function idOf(name: string, place: number): string {
  return `${name}#${place}`;
}

/** What a series adds up. The totals are billionths. */
export type SeriesTotals = { samples: bigint; total: bigint; observations: bigint; inBuckets: bigint };

/** How often a sum has each sample of its series, by their ids. */
export function* samplesIn(name: string, total: bigint): Generator<[id: string, times: number]> {
  let rest = total / FIRST_BILLIONTHS;
  for (let place = 0; place < PER_SERIES; place += 1) {
    yield [idOf(name, place), Number(rest % BigInt(BASE))];
    rest /= BigInt(BASE);
  }
}

/** Why no list of samples can have these totals; undefined if one can. */
export function problemOfTotals(kind: SampleKind, name: string, totals: SeriesTotals): string | undefined {
  const { samples, total, observations, inBuckets } = totals;
  const times = [...samplesIn(name, total)].reduce((sum, [, count]) => sum + count, 0);
  if (samples !== BigInt(times)) return `${samples} samples, but a total of ${times}`;
  if (kind === 'counter') return undefined;
  if (observations * FIRST_BILLIONTHS !== total)
    return `${observations} observations, but a total of ${total}`;
  return inBuckets === observations ? undefined : `${inBuckets} of ${observations} observations in buckets`;
}

/** A metric as it is posted, by a relay or by the mirror. */
export type PostedMetric = {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly { readonly value?: number; readonly sum?: number }[];
};

/** The ids of posted samples. */
export function* idsOf(metrics: readonly PostedMetric[]): Generator<string> {
  for (const { name, type, samples } of metrics)
    for (const { value = 0, sum = value } of samples) {
      if (type === 'gauge' || sum < 0) yield name;
      else
        for (const [id, times] of samplesIn(name, BigInt(Math.round(sum * BASE)) * FIRST_BILLIONTHS))
          for (let time = 0; time < times; time += 1) yield id;
    }
}
