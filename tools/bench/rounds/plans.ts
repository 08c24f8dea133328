import type { Plan } from './round.ts';
import type { Shape } from './shapes.ts';

export type BenchPlan = Plan & {
  readonly rounds: number;
  readonly warmUpSeconds: number;
  readonly seconds: number;
  readonly rollUps: boolean;
};

/** The most rows that fit into a body of Edge. */
export const LARGE: Shape = { rows: 340, keys: 'realistic', connections: 16 };
export const MIDDLE: Shape = { rows: 100, keys: 'realistic', connections: 16 };
export const SMALL: Shape = { rows: 10, keys: 'realistic', connections: 16 };
export const MANY_KEYS: Shape = { ...LARGE, keys: 'many' };
export const MANY_CONNECTIONS = 128;
/** What most senders are: an SDK that posts the few flags that its application has evaluated. */
const SDK: Shape = { ...SMALL, format: 'sdk' };
const SDKS: readonly Shape[] = [{ ...SDK, rows: 1 }, SDK, { ...SDK, rows: 30 }];
const MANY_SDKS: Shape = { ...SDK, connections: 1000 };

const OTLP = [LARGE, SMALL].flatMap((shape): Shape[] => [
  { ...shape, format: 'protobuf' },
  { ...shape, format: 'json' },
]);

/** Takes about 40 minutes on two cores. Node needs some seconds of load until its code is fully optimised. */
export const FULL: BenchPlan = {
  rounds: 2,
  warmUpSeconds: 6,
  seconds: 5,
  started: [
    ...SDKS,
    MANY_SDKS,
    LARGE,
    MIDDLE,
    SMALL,
    { ...SMALL, connections: MANY_CONNECTIONS },
    MANY_KEYS,
    { ...LARGE, measures: true },
    { ...SMALL, measures: true },
    ...OTLP,
  ],
  separate: [LARGE, MIDDLE, SMALL, SDK],
  otlp: OTLP,
  halfRate: [LARGE, SMALL],
  wholeSeconds: 10,
  halfRateSeconds: 8,
  rollUps: true,
};

/**
 * Takes about three minutes: one round with bodies of SDKs, and with the largest and the smallest one of relays. Too short to show small differences.
 */
export const QUICK: BenchPlan = {
  rounds: 1,
  warmUpSeconds: 3,
  seconds: 2,
  started: [LARGE, SMALL, SDK],
  separate: [LARGE, SMALL, SDK],
  otlp: [],
  halfRate: [LARGE],
  wholeSeconds: 3,
  halfRateSeconds: 3,
  rollUps: false,
};
