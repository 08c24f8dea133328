import { dayOf, startOfDayMs } from '#base/schema';
import type { SampleFeature } from '../shop/feature.ts';
import { seedOf } from './random.ts';

/** When the events of a feature happened in production, all of them relative to the day on which the sample was made. */
export type Story = {
  readonly createdAt: number;
  readonly steps: readonly { readonly at: number; readonly percent: number }[];
  readonly outage: { readonly from: number; readonly to: number } | undefined;
  readonly offAt: number | undefined;
  readonly staleAt: number | undefined;
  readonly archivedAt: number | undefined;
  readonly silentAt: number | undefined;
  readonly cliffAt: number | undefined;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A feature is created some days before its rollout begins. */
const PREPARATION_MS = 3 * DAY_MS;
const OUTAGE_MS = 2 * HOUR_MS;

/** Times in epoch milliseconds; `madeAt` is when the sample was made. */
export function storyOf(feature: SampleFeature, madeAt: number): Story {
  const { rollout, outageDaysAgo, cliffHoursAgo } = feature;
  const at = (daysAgo: number | undefined) => {
    return daysAgo === undefined ? undefined : workingTime(feature.name, { madeAt, daysAgo });
  };
  const steps = rollout.map(([daysAgo, percent]) => ({
    at: workingTime(feature.name, { madeAt, daysAgo }),
    percent,
  }));
  const outageAt = at(outageDaysAgo);
  return {
    createdAt: (steps[0]?.at ?? madeAt) - PREPARATION_MS,
    steps,
    outage: outageAt === undefined ? undefined : { from: outageAt, to: outageAt + OUTAGE_MS },
    offAt: at(feature.offSinceDaysAgo),
    staleAt: at(feature.staleSinceDaysAgo),
    archivedAt: at(feature.archivedDaysAgo),
    silentAt: at(feature.silentSinceDaysAgo),
    cliffAt: cliffHoursAgo === undefined ? undefined : startOfHour(madeAt) - cliffHoursAgo * HOUR_MS,
  };
}

/** A time of a feature in the working hours of a day. */
function workingTime(
  name: string,
  { madeAt, daysAgo }: { readonly madeAt: number; readonly daysAgo: number },
): number {
  const minutes = 8 * 60 + (seedOf(`${name} ${daysAgo}`) % (7 * 60));
  return startOfDayMs(dayOf(madeAt) - daysAgo) + minutes * 60_000;
}

/** The part of evaluations in production that are enabled, from 0 to 1, in the hour that begins at `hourMs`. */
export function shareAt({ steps, outage, offAt, archivedAt }: Story, hourMs: number): number {
  const isOver = (at: number | undefined) => at !== undefined && hourMs >= startOfHour(at);
  if (isOver(offAt) || isOver(archivedAt)) return 0;
  if (isOver(outage?.from) && !isOver(outage?.to)) return 0;
  return (steps.findLast(({ at }) => isOver(at))?.percent ?? 0) / 100;
}

/** The part of the usual evaluations that applications make in this hour: none before the rollout and after the last call. */
export function activityAt({ steps, silentAt, cliffAt }: Story, hourMs: number): number {
  const [first] = steps;
  if (first === undefined || hourMs < startOfHour(first.at)) return 0;
  if (silentAt !== undefined && hourMs >= startOfHour(silentAt)) return 0;
  return cliffAt !== undefined && hourMs >= cliffAt ? 1 / 12 : 1;
}

/** When people changed it in production for the last time. */
export function configuredAt({ createdAt, steps, outage, offAt }: Story): number {
  return Math.max(createdAt, ...steps.map(({ at }) => at), outage?.to ?? 0, offAt ?? 0);
}

export function startOfHour(ms: number): number {
  return Math.floor(ms / HOUR_MS) * HOUR_MS;
}
