import type { Plan } from './round.ts';
import type { Shape } from './shapes.ts';

export type BenchPlan = Plan & {
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly rollUps: boolean;
};

export const LARGE: Shape = { rows: 480, keys: 'realistic', connections: 16 };
export const MIDDLE: Shape = { rows: 100, keys: 'realistic', connections: 16 };
export const SMALL: Shape = { rows: 10, keys: 'realistic', connections: 16 };
export const MANY_CONNECTIONS = 128;

const OTLP = [LARGE, SMALL].flatMap((shape): Shape[] => [
  { ...shape, otlp: 'protobuf' },
  { ...shape, otlp: 'json' },
]);

/** Takes about 40 minutes on two cores. Node needs some seconds of load until its code is fully optimised. */
export const FULL: BenchPlan = {
  rounds: 2,
  warmUpSeconds: 6,
  seconds: 5,
  ingestShapes: [LARGE, MIDDLE, SMALL],
  kafkaOnly: [{ ...SMALL, connections: MANY_CONNECTIONS }],
  otlp: OTLP,
  whole: [
    LARGE,
    MIDDLE,
    SMALL,
    { ...SMALL, connections: MANY_CONNECTIONS },
    { ...LARGE, keys: 'few' },
    { ...LARGE, keys: 'many' },
  ],
  halfRate: [LARGE, SMALL],
  wholeSeconds: 10,
  halfRateSeconds: 8,
  rollUps: true,
};

/**
 * Takes about three minutes: one round with the largest and the smallest body. Too short to show small differences.
 */
export const QUICK: BenchPlan = {
  rounds: 1,
  warmUpSeconds: 3,
  seconds: 2,
  ingestShapes: [LARGE, SMALL],
  kafkaOnly: [],
  otlp: OTLP,
  whole: [LARGE, SMALL],
  halfRate: [LARGE],
  wholeSeconds: 3,
  halfRateSeconds: 3,
  rollUps: false,
};
