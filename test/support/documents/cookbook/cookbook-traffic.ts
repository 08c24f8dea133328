import type { Metric } from '#core/counting';
import { createRandom } from '../../builders/random.ts';

const HOUR = 3_600_000;

/** Number of whole days of traffic. The last day is yesterday. */
export const DEMO_DAYS = 28;

/** The metrics that relays of the demo delivered in one hour of a whole day (UTC). Deterministic. */
export type DemoHour = { readonly daysAgo: number; readonly hour: number; readonly startMs: number };

type Flow = {
  readonly feature: string;
  readonly app: string;
  readonly environment: string;
  /** Evaluations of an average hour. */
  readonly volume: number;
  /** The fraction of enabled evaluations, 0 to 1. */
  readonly share: (at: DemoHour) => number;
  readonly isSilent?: (at: DemoHour) => boolean;
  /** Weights of the variants among the enabled evaluations. */
  readonly variants?: (at: DemoHour) => Readonly<Record<string, number>>;
};

const always = (share: number) => (): number => share;
const rollOut = ({ daysAgo, hour }: DemoHour): number => {
  if (daysAgo > 7) return 0.05;
  if (daysAgo > 1) return 0.25;
  return hour < 12 ? 0.25 : 0.5;
};
const split = (): Readonly<Record<string, number>> => ({ control: 0.5, blue: 0.3, green: 0.2 });
const driftingSplit = ({ daysAgo }: DemoHour): Readonly<Record<string, number>> =>
  daysAgo === 1 ? { classic: 0.7, neural: 0.3 } : { classic: 0.5, neural: 0.5 };
const inProduction = { environment: 'production' };

const FLOWS: readonly Flow[] = [
  { feature: 'new-checkout', app: 'web-shop', ...inProduction, volume: 900, share: rollOut },
  { feature: 'new-checkout', app: 'mobile-api', ...inProduction, volume: 400, share: rollOut },
  { feature: 'new-checkout', app: 'web-shop', environment: 'development', volume: 20, share: always(1) },
  {
    feature: 'price-experiment',
    app: 'web-shop',
    ...inProduction,
    volume: 300,
    share: always(0.9),
    variants: split,
  },
  {
    feature: 'search-ranking',
    app: 'search-api',
    ...inProduction,
    volume: 500,
    share: always(1),
    variants: driftingSplit,
  },
  { feature: 'fast-search', app: 'search-api', ...inProduction, volume: 700, share: always(1) },
  { feature: 'fast-search', app: 'web-shop', ...inProduction, volume: 250, share: always(1) },
  { feature: 'payments-kill-switch', app: 'web-shop', ...inProduction, volume: 800, share: always(0) },
  {
    feature: 'old-search',
    app: 'legacy-batch',
    ...inProduction,
    volume: 60,
    share: always(1),
    isSilent: ({ daysAgo, hour }) => daysAgo === 1 && hour >= 3 && hour < 6,
  },
  { feature: 'new-chekout', app: 'mobile-api', ...inProduction, volume: 40, share: always(0) },
  {
    feature: 'beta-banner',
    app: 'web-shop',
    ...inProduction,
    volume: 150,
    share: always(0.3),
    isSilent: ({ daysAgo }) => daysAgo < 10,
  },
  {
    feature: 'summer-sale',
    app: 'web-shop',
    ...inProduction,
    share: always(0.8),
    volume: 200,
    isSilent: ({ daysAgo }) => daysAgo > 3,
  },
  { feature: 'voice-search', app: 'search-api', environment: 'development', volume: 15, share: always(0.5) },
  {
    feature: 'x-ray',
    app: 'search-api',
    environment: 'development',
    share: always(0),
    volume: 15,
    isSilent: ({ daysAgo }) => daysAgo > 1,
  },
  { feature: 'new-receipt', app: 'web-shop', ...inProduction, volume: 100, share: rollOut },
];

/** The hours of the demo, oldest first. */
export function demoHours(todayMs: number): DemoHour[] {
  return Array.from({ length: DEMO_DAYS * 24 }, (_, index) => ({
    daysAgo: DEMO_DAYS - Math.floor(index / 24),
    hour: index % 24,
    startMs: todayMs - DEMO_DAYS * 24 * HOUR + index * HOUR,
  }));
}

/** Counts vary by a tenth from hour to hour. The index of the hour is the seed. */
export function demoMetrics(at: DemoHour, environment: string): Metric[] {
  const random = createRandom(1 + at.daysAgo * 24 + at.hour);
  return FLOWS.flatMap((flow): Metric[] => {
    const evaluations = Math.round(flow.volume * dayCurve(at.hour) * (0.95 + random.next() / 10));
    const yes = Math.round(evaluations * flow.share(at));
    if (flow.environment !== environment || flow.isSilent?.(at) === true) return [];
    const variants = flow.variants === undefined ? undefined : shareOut(yes, flow.variants(at));
    return [
      {
        featureName: flow.feature,
        appName: flow.app,
        environment,
        timestamp: new Date(at.startMs + HOUR / 2).toISOString(),
        yes,
        no: evaluations - yes,
        ...(variants === undefined ? {} : { variants }),
      },
    ];
  });
}

/** Low at night, with the peak at 18:00. */
function dayCurve(hour: number): number {
  return 1 + 0.6 * Math.cos(((hour - 18) / 24) * 2 * Math.PI);
}

function shareOut(total: number, weights: Readonly<Record<string, number>>): Record<string, number> {
  const [[first] = ['control'], ...others] = Object.entries(weights);
  const counts = others.map(([name, weight]) => [name, Math.round(total * weight)] as const);
  const rest = total - counts.reduce((sum, [, count]) => sum + count, 0);
  return Object.fromEntries([[first, rest], ...counts]);
}
