import type { SampleEnvironment } from '../../shop/applications.ts';

const DAY_MS = 24 * 3_600_000;

/** Thousandths of the busiest hour, by hour of the day (UTC): people shop in the evening. */
const SHOPPING_HOURS = [
  220, 140, 95, 80, 85, 120, 230, 380, 480, 540, 590, 640, 690, 660, 620, 630, 690, 780, 900, 985, 1000, 880,
  640, 390,
];
/** By day of the week, from Sunday. */
const SHOPPING_DAYS = [1000, 800, 780, 790, 820, 890, 960];

/** Engineers work from 7 to 18 h. */
const WORKING_HOURS = { from: 7, to: 18 };
const OF_PRODUCTION = { development: 0.001, production: 1, staging: 0.004 } as const;

/** How busy an environment is in the hour that begins at `hourMs`, from 0 to 1, compared with the busiest hour of production. */
export function rhythmOf(environment: SampleEnvironment, hourMs: number): number {
  const hour = new Date(hourMs).getUTCHours();
  const weekday = new Date(hourMs).getUTCDay();
  const scale = OF_PRODUCTION[environment];
  if (environment === 'production')
    return (scale * (SHOPPING_HOURS[hour] ?? 0) * (SHOPPING_DAYS[weekday] ?? 0)) / 1_000_000;
  const isWork = weekday >= 1 && weekday <= 5 && hour >= WORKING_HOURS.from && hour < WORKING_HOURS.to;
  return isWork ? scale : 0;
}

/** The shop grows by a tenth a month. */
export function growthOf(hourMs: number, madeAt: number): number {
  return 1.1 ** ((hourMs - madeAt) / DAY_MS / 30);
}
