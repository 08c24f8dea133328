import type { History } from '../../../support/builders/history.ts';
import { createRandom, normal, poisson } from '../../../support/builders/random.ts';
import { type Arrival, MINUTES_OF_DAY } from './arrivals.ts';

const A_WEEK = 7 * 24;
/** Of a verdict: six hours that are compared, and those of a day before in which minutes are. */
const HOURS_BEFORE = 26;

type Harmless = {
  readonly features: number;
  /** How many hours ago somebody looks. */
  readonly looks: readonly number[];
};

/**
 * Features with a daily rhythm whose hours, days and minutes are more and less busy by chance. Writes their hours, those of a week before too,
 * and returns the minutes that verdicts examine at these moments.
 */
export function harmlessTraffic(history: History, { features, looks }: Harmless): Arrival[] {
  const random = createRandom(3);
  const examined = new Set(looks.flatMap((hoursAgo) => minutesOf(hoursAgo)));
  const arrivals: Arrival[] = [];
  for (let seed = 0; seed < features; seed += 1) {
    const feature = `harmless-${seed}`;
    const app = `app-${seed % 6}`;
    const ofHour = 10 ** (3 + 1.5 * random.next());
    const unsteadiness = random.pick([0.1, 0.2, 0.4]);
    // Work in batches arrives in ten minutes of an hour, which may be any.
    const isInBatches = seed % 5 === 0;
    for (const firstHour of [0, A_WEEK])
      for (
        let hoursAgo = firstHour;
        hoursAgo <= firstHour + Math.max(...looks) + HOURS_BEFORE;
        hoursAgo += 1
      ) {
        const rhythm = 1 + 0.6 * Math.sin((2 * Math.PI * hoursAgo) / 24);
        const mean = ofHour * rhythm * Math.exp(unsteadiness * normal(random));
        const first = isInBatches ? random.between(0, 49) : 0;
        const [from, to] = isInBatches ? [first, first + 10] : [0, 60];
        let yes = 0;
        for (let minute = from; minute < to; minute += 1) {
          const evaluations = poisson(random, mean / (to - from));
          yes += evaluations;
          // The last examined minute is the fifth of an hour.
          const minutesAgo = hoursAgo * 60 + 5 - minute;
          if (evaluations > 0 && examined.has(minutesAgo))
            arrivals.push({ feature, app, environment: 'harmless', minutesAgo, evaluations });
        }
        history.evaluated({ feature, environment: 'harmless', hoursAgo, yes });
      }
  }
  return arrivals;
}

/** The minutes that a verdict examines, of the last hour and of the same a day before. */
function minutesOf(hoursAgo: number): number[] {
  return [0, MINUTES_OF_DAY].flatMap((before) =>
    Array.from({ length: 60 }, (_, minute) => before + hoursAgo * 60 + minute + 1),
  );
}
