import type { Metric } from '#core/counting';
import { type DemoHour, demoMetrics } from './cookbook-traffic.ts';

const APP = 'web-shop';
/** Purchases for one exposure. */
const CONVERSION: Readonly<Record<string, number>> = { control: 0.03, blue: 0.036, green: 0.029 };
/** Shares of the response times up to each bound, in seconds. */
const RESPONSES = {
  enabled: [
    [0.1, 0.7],
    [0.5, 0.97],
    [1, 0.995],
  ],
  disabled: [
    [0.1, 0.6],
    [0.5, 0.95],
    [1, 0.99],
  ],
} as const;

type Sample = Readonly<Record<string, unknown>>;

/** The impact metrics of the shop in one hour. The new checkout is faster, and on the last day it has more errors. */
export function demoImpact(at: DemoHour, environment: string): readonly unknown[] {
  if (environment !== 'production') return [];
  const metrics = demoMetrics(at, environment).filter(({ appName }) => appName === APP);
  const of = (feature: string): Metric | undefined =>
    metrics.find(({ featureName }) => featureName === feature);
  const { yes, no } = { yes: 0, no: 0, ...of('new-checkout') };
  const arms = [
    ['enabled', Number(yes), at.daysAgo === 1 ? 0.009 : 0.004],
    ['disabled', Number(no), 0.004],
  ] as const;
  return [
    {
      name: 'purchases',
      help: 'Completed purchases',
      type: 'counter',
      samples: Object.entries(of('price-experiment')?.variants ?? {}).map(([arm, served]) =>
        aSample('price-experiment', arm, { value: Math.round((served ?? 0) * (CONVERSION[arm] ?? 0)) }),
      ),
    },
    {
      name: 'errors',
      help: 'Failed checkouts',
      type: 'counter',
      samples: arms.map(([arm, exposures, rate]) =>
        aSample('new-checkout', arm, { value: Math.round(exposures * rate) }),
      ),
    },
    {
      name: 'response_seconds',
      help: 'Response times of the checkout',
      type: 'histogram',
      samples: arms.map(([arm, count]) => aSample('new-checkout', arm, responses(arm, count))),
    },
  ];
}

function aSample(feature: string, arm: string, value: Sample): Sample {
  return { ...value, labels: { [feature]: arm, appName: APP, environment: 'production' } };
}

function responses(arm: 'enabled' | 'disabled', count: number): Sample {
  const buckets = RESPONSES[arm].map(([le, share]) => ({ le, count: Math.round(count * share) }));
  return {
    count,
    sum: count * (arm === 'enabled' ? 0.12 : 0.15),
    buckets: [...buckets, { le: '+Inf', count }],
  };
}
