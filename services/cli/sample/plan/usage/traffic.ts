import { dayOf, startOfDayMs } from '#base/schema';
import { CountSums } from '#core/counting';
import {
  SAMPLE_ENVIRONMENTS,
  SHAPES,
  type SampleApp,
  type SampleEnvironment,
  UNKNOWN_FLAG,
} from '../../shop/applications.ts';
import type { SampleFeature } from '../../shop/feature.ts';
import { SAMPLE_FEATURES } from '../../shop/features.ts';
import { type Random, createRandom, seedOf } from '../random.ts';
import { growthOf, rhythmOf } from './rhythm.ts';
import { type Story, activityAt, shareAt, startOfHour, storyOf } from '../story.ts';

const HOUR_MS = 3_600_000;
/** Complete days before the day on which the sample is made. */
const DAYS = 35;
/** Relays report each minute. */
const REPORTS_PER_HOUR = 60;
/** Engineers switch features on and off to try them. */
const SHARE_ELSEWHERE = 0.9;
const NOISE = 0.05;

/** The days (since the epoch) for which the sample has evaluations, oldest first. */
export function sampleDays(madeAt: number): number[] {
  const today = dayOf(madeAt);
  return Array.from({ length: DAYS + 1 }, (_, index) => today - DAYS + index);
}

/** What an application evaluates in an environment. */
export type Line = {
  readonly feature: string;
  readonly app: SampleApp;
  readonly environment: SampleEnvironment;
  /** Evaluations in the busiest hour of production. */
  readonly peak: number;
  readonly story: Story;
  readonly variants: readonly (readonly [name: string, weight: number])[];
};

/** The evaluations of some days (UTC), in the hours that had begun when the sample was made. */
export function sumsOf(days: readonly number[], madeAt: number): CountSums {
  const sums = new CountSums();
  const lines = linesOf(madeAt);
  for (const hourMs of hoursOf(days, madeAt))
    for (const line of lines) addHour(sums, line, { hourMs, madeAt });
  return sums;
}

/** The starts of the hours of these days that had begun. */
export function hoursOf(days: readonly number[], madeAt: number): number[] {
  const hours = days.flatMap((day) =>
    Array.from({ length: 24 }, (_, hour) => startOfDayMs(day) + hour * HOUR_MS),
  );
  return hours.filter((hourMs) => hourMs <= madeAt);
}

export function linesOf(madeAt: number): Line[] {
  const known = SAMPLE_FEATURES.flatMap((feature) => {
    const story = storyOf(feature, madeAt);
    const total = feature.apps.reduce((sum, app) => sum + SHAPES[app].weight, 0);
    return feature.apps.flatMap((app) =>
      environmentsOf(feature, app).map((environment) => ({
        feature: feature.name,
        app,
        environment,
        story,
        peak: (feature.peak * SHAPES[app].weight) / total,
        variants: Object.entries(feature.variants ?? {}),
      })),
    );
  });
  const { name, app, peak, sinceDaysAgo } = UNKNOWN_FLAG;
  const at = startOfDayMs(dayOf(madeAt) - sinceDaysAgo) + 11 * HOUR_MS;
  const story: Story = { ...NO_STORY, createdAt: at, steps: [{ at, percent: 0 }] };
  return [...known, { feature: name, app, environment: 'production', peak, story, variants: [] }];
}

const NO_STORY = {
  outage: undefined,
  offAt: undefined,
  staleAt: undefined,
  archivedAt: undefined,
  silentAt: undefined,
  cliffAt: undefined,
} as const;

/** No one develops with a feature that was archived or that is in use by no one, and the mailer runs in production only. */
function environmentsOf(
  { archivedDaysAgo, silentSinceDaysAgo }: SampleFeature,
  app: SampleApp,
): readonly SampleEnvironment[] {
  const isOld = archivedDaysAgo !== undefined || silentSinceDaysAgo !== undefined;
  return isOld || app === 'sample-mailer' ? ['production'] : SAMPLE_ENVIRONMENTS;
}

type Hour = { readonly hourMs: number; readonly madeAt: number };

function addHour(sums: CountSums, line: Line, hour: Hour): void {
  const evaluations = evaluationsOf(line, hour);
  if (evaluations === undefined) return;
  const { yes, no, variants } = evaluations;
  const { feature, app, environment } = line;
  sums.select(
    sums.groupId(sums.nameId(app), sums.nameId(environment), hour.hourMs / HOUR_MS),
    sums.nameId(feature),
  );
  sums.add(Math.min(REPORTS_PER_HOUR, yes + no), yes, no);
  for (const [variant, count] of variants) if (count > 0) sums.addVariant(sums.nameId(variant), count);
}

export type Evaluations = {
  readonly yes: number;
  readonly no: number;
  readonly variants: readonly (readonly [name: string, count: number])[];
};

/** The evaluations of a line in an hour, the same for the same hour; undefined if there are none. */
export function evaluationsOf(line: Line, { hourMs, madeAt }: Hour): Evaluations | undefined {
  const { feature, app, environment, story, peak } = line;
  const hoursAgo = (startOfHour(madeAt) - hourMs) / HOUR_MS;
  const random = createRandom(seedOf(`${feature} ${app} ${environment} ${hoursAgo}`));
  if (environment === 'production' && hoursAgo < (SHAPES[app].silentForHours ?? 0)) return undefined;
  const passed = Math.min(1, (madeAt - hourMs) / HOUR_MS);
  const mean =
    peak * rhythmOf(environment, hourMs) * growthOf(hourMs, madeAt) * activityAt(story, hourMs) * passed;
  const evaluations = Math.round(mean * (1 + NOISE * random.normal()));
  if (evaluations <= 0) return undefined;
  const share = environment === 'production' ? shareAt(story, hourMs) : SHARE_ELSEWHERE;
  const yes = drawOf(evaluations, share, random);
  return { yes, no: evaluations - yes, variants: variantsOf(line, yes, random) };
}

function variantsOf({ variants }: Line, yes: number, random: Random): [name: string, count: number][] {
  let left = yes;
  let weights = 1000;
  return variants.map(([variant, weight]) => {
    const count = drawOf(left, weight / weights, random);
    left -= count;
    weights -= weight;
    return [variant, count];
  });
}

/** How many of `count` are chosen with this probability. Exactly all with 1, and exactly none with 0. */
function drawOf(count: number, probability: number, random: Random): number {
  const deviation = Math.sqrt(count * probability * (1 - probability));
  const drawn = Math.round(count * probability + deviation * random.normal());
  return Math.max(0, Math.min(count, drawn));
}
