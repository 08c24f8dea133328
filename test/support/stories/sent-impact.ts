import type { World } from '../world.ts';

type Labels = Readonly<Record<string, string>>;
type Bucket = { readonly le: number | '+Inf'; readonly count: number };

/** An impact metric with one sample. */
export type SentImpact = { readonly name: string; readonly help: string } & (
  | {
      readonly type: 'counter';
      readonly samples: readonly [{ readonly value: number; readonly labels: Labels }];
    }
  | {
      readonly type: 'histogram';
      readonly samples: readonly [
        {
          readonly count: number;
          readonly sum: number;
          readonly buckets: readonly Bucket[];
          readonly labels: Labels;
        },
      ];
    }
);

/** What an application measures in its batch with this number. */
export function impactOf(appName: string, number: number): SentImpact[] {
  const labels = { appName, 'new-basket': number % 2 === 0 ? 'blue' : 'red' };
  const value = 1 + (number % 7) / 10;
  const fast = number % 3;
  const buckets = [
    { le: 0.25, count: fast },
    { le: '+Inf', count: 3 },
  ] as const;
  return [
    { name: 'purchases', help: 'Completed purchases', type: 'counter', samples: [{ value, labels }] },
    {
      name: 'response_seconds',
      help: 'Response times',
      type: 'histogram',
      samples: [{ count: 3, sum: value, buckets, labels }],
    },
  ];
}

/** Values in billionths, observations and samples, by application, impact metric and labels. */
type ImpactSums = Record<string, string>;

export function sumImpact(sent: readonly SentImpact[]): ImpactSums {
  const sums = new Map<string, { value: number; observations: number; samples: number }>();
  for (const { name, ...metric } of sent) {
    const [{ labels }] = metric.samples;
    const key = keyOf(name, labels);
    const sum = sums.get(key) ?? { value: 0, observations: 0, samples: 0 };
    sums.set(key, sum);
    const added = metric.type === 'counter' ? metric.samples[0].value : metric.samples[0].sum;
    sum.value += Math.round(added * 1e9);
    sum.observations += metric.type === 'counter' ? 0 : metric.samples[0].count;
    sum.samples += 1;
  }
  const texts = Array.from(sums, ([key, { value, observations, samples }]) => [
    key,
    [value, observations, samples].join('/'),
  ]);
  return Object.fromEntries(texts) as ImpactSums; // of pairs of texts
}

/** What the view holds, for these applications, or for all if there are none. */
export async function readImpact(
  world: World,
  unit: 'hour' | 'day',
  apps: readonly string[],
): Promise<ImpactSums> {
  const rows = await world.query<{ metric_name: string; labels: Labels; sums: string }>(
    `select
       metric_name,
       labels,
       concat(toString(toInt64(round(sum(i.value) * 1e9))), '/', toString(sum(i.observations)), '/', toString(sum(i.samples))) as sums
     from impact_by_${unit} as i
     where empty({apps:Array(String)}) or has({apps:Array(String)}, app_name)
     group by metric_name, labels`,
    { apps },
  );
  return Object.fromEntries(rows.map(({ metric_name, labels, sums }) => [keyOf(metric_name, labels), sums]));
}

function keyOf(name: string, labels: Labels): string {
  return [
    name,
    ...Object.entries(labels)
      .map(([label, value]) => `${label}=${value}`)
      .sort(),
  ].join(' ');
}
