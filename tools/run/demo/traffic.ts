import type { Registration } from '#tooling/traffic';
import type { Evaluations, Relay } from '../../relay/index.ts';

/**
 * The traffic of the demo: 14 days of history, one day with each of the first 14 pushes, and live evaluations with
 * all 15. The seed of `random` and the time determine all of it.
 */
export const PUSHES = 15;
const HISTORY_DAYS = 14;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const ENVIRONMENTS = ['production', 'development'] as const;

const APPS = ['checkout-api', 'web-shop', 'mobile-app', 'search', 'billing'] as const;
const QUALITIES = ['new', 'fast', 'smart', 'dark', 'beta'] as const;
const THINGS = ['basket', 'search', 'checkout', 'invoice', 'gallery', 'login', 'profile', 'export'] as const;
const VARIANTS = ['blue', 'red', 'green'] as const;

/** The feature that purchases name. */
export const PURCHASES_BY = 'new-basket';

type Feature = {
  readonly name: string;
  readonly apps: readonly string[];
  readonly variants: readonly string[];
};

/** 40 features, each in two applications, half of them with variants. */
const features: readonly Feature[] = QUALITIES.flatMap((quality, qualityIndex) =>
  THINGS.map((thing, thingIndex) => ({
    name: `${quality}-${thing}`,
    apps: [at(APPS, thingIndex), at(APPS, thingIndex + 1 + (qualityIndex % 4))],
    variants: (qualityIndex + thingIndex) % 2 === 0 ? VARIANTS : [],
  })),
);

export type Traffic = {
  readonly relay: Relay;
  readonly random: () => number;
  readonly startedAt: number;
};

/** Gives the relay the data of push `push` (from 1 to PUSHES). */
export function recordTraffic(traffic: Traffic, push: number): void {
  const { relay, startedAt } = traffic;
  if (push === 1) for (const registration of registrations(startedAt)) relay.register(registration);
  const day = Math.floor(startedAt / DAY_MS) - HISTORY_DAYS + push - 1;
  if (push <= HISTORY_DAYS) {
    for (let hour = 0; hour < 24; hour += 1) recordHour(traffic, day * DAY_MS + hour * HOUR_MS);
  }
  recordHour(traffic, startedAt + push * 1000);
  recordPurchases(traffic);
  for (const evaluations of oddOnes(startedAt)[push] ?? []) relay.record(evaluations);
}

/** Each feature once in each of its applications and environments. */
function recordHour({ relay, random }: Traffic, hourMs: number): void {
  for (const { name: featureName, apps, variants } of features) {
    for (const appName of apps) {
      for (const environment of ENVIRONMENTS) {
        const at = hourMs + Math.floor(random() * 1000);
        const [yes, no] = [1 + Math.floor(random() * 500), Math.floor(random() * 100)];
        const shares = divide(yes, variants, random);
        relay.record({ featureName, appName, environment, at, yes, no, variants: shares });
      }
    }
  }
}

/** The purchases of a second, with the variant of a feature that each customer saw. */
function recordPurchases({ relay, random }: Traffic): void {
  const [environment, appName] = ['production', 'web-shop'];
  relay.addImpact(environment, {
    name: 'purchases',
    help: 'Completed purchases',
    type: 'counter',
    samples: VARIANTS.map((variant) => ({
      value: 1 + Math.floor(random() * 20),
      labels: { appName, environment, [PURCHASES_BY]: variant },
    })),
  });
}

/** Divides a count randomly among variants. */
function divide(total: number, variants: readonly string[], random: () => number): Record<string, number> {
  const shares: Record<string, number> = {};
  let left = total;
  for (const [index, variant] of variants.entries()) {
    const share = index === variants.length - 1 ? left : Math.floor(left * random());
    if (share > 0) shares[variant] = share;
    left -= share;
  }
  return shares;
}

/** Metrics that flagmeter must refuse, by push: too old, from the future, or with too long a feature name. */
function oddOnes(now: number): Readonly<Record<number, readonly Evaluations[]>> {
  const one = { featureName: 'new-basket', appName: 'web-shop', environment: 'production', at: now, yes: 1 };
  return {
    3: [
      { ...one, at: now - 40 * DAY_MS },
      { ...one, at: now - 400 * DAY_MS, no: 7 },
    ],
    5: [{ ...one, featureName: 'long-'.repeat(60) }],
    7: [{ ...one, environment: 'development', at: now + DAY_MS }],
  };
}

function registrations(startedAt: number): Registration[] {
  return APPS.map((appName, index) => ({
    appName,
    environment: ENVIRONMENTS[index % 2] ?? 'production',
    projects: ['default'],
    instanceId: `${appName}-1`,
    startedAt,
    strategies: ['default', 'flexibleRollout'],
    origin: {
      sdkVersion: 'unleash-client-node:6.7.0',
      sdkType: 'backend',
      platformName: 'node',
      platformVersion: 'v22.9.0',
    },
  }));
}

function at(items: readonly string[], index: number): string {
  return items[index % items.length] ?? '';
}
