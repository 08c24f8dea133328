/** The possible verdicts on a feature in an environment. */
export const FEATURE_VERDICTS = [
  'always_on',
  'always_off',
  'silent',
  'new',
  'unknown',
  'called_while_off',
  'called_while_archived',
  'cliff',
  'drift',
  'dead_variant',
  'sum_check',
  'harmful',
  'archive_evidence',
] as const;

/** The possible verdicts on an application in an environment, from its reports and refusals. */
export const APP_VERDICTS = ['clock_skew', 'silent_instance', 'mixed_sdk_versions'] as const;

export type Verdict = (typeof FEATURE_VERDICTS)[number] | (typeof APP_VERDICTS)[number];

/** The possible verdict on a relay. */
export const RELAY_VERDICTS = ['relay_silent'] as const;

/** The possible verdicts on the installation itself. */
export const INSTALLATION_VERDICTS = ['accounting_differs', 'dead_letters'] as const;

/** All verdicts, of which people can be told. */
export const ALL_VERDICTS = [
  ...FEATURE_VERDICTS,
  ...APP_VERDICTS,
  ...RELAY_VERDICTS,
  ...INSTALLATION_VERDICTS,
] as const;

/** A parameter of the verdicts: its default and its range. */
export type Threshold = {
  readonly defaultValue: number;
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  readonly meaning: string;
};

/** Parameters of feature_verdicts_at. */
export const FEATURE_THRESHOLDS = {
  constantDays: days(30, 'Days after which a constant feature is always_on or always_off.'),
  constantEvaluations: evaluations(1000, 'always_on and always_off need more evaluations.'),
  silentDays: days(7, 'Days without evaluations after which a feature is silent.'),
  newDays: days(7, 'Days for which a feature is new.'),
  calledEvaluations: evaluations(
    100,
    'called_while_off and called_while_archived need more, in cliffHours hours.',
  ),
  cliffHours: hours(6, 'Hours that cliff compares with the same hours a week before.'),
  cliffShare: share(0.5, 1, 'cliff is below this share of the week before.'),
  cliffEvaluations: evaluations(1000, 'cliff needs so many evaluations a week before.'),
  driftHours: hours(12, 'Hours that drift compares with the 7 days before.'),
  driftIndex: share(0.2, 100, 'drift is above this population stability index.'),
  driftEvaluations: evaluations(1000, 'drift needs so many served variants before and after.'),
  deadDays: days(7, 'Days after which a variant that was not served is dead.'),
  deadEvaluations: evaluations(100, 'dead_variant was served so often in the 30 days before.'),
  harmfulChance: share(0.01, 0.5, 'At most this share of harmless rollouts is ever called harmful.'),
} as const satisfies Record<string, Threshold>;

/** Parameters of app_verdicts_at. */
export const APP_THRESHOLDS = {
  skewMetrics: evaluations(10, 'clock_skew needs more metrics refused for their time, in 7 days.'),
  silentIntervals: {
    defaultValue: 3,
    min: 1,
    max: 1000,
    isWhole: true,
    meaning: 'An instance that reported nothing for so many of its intervals and three minutes is not live.',
  },
} as const satisfies Record<string, Threshold>;

export type Thresholds = Readonly<
  Record<keyof typeof FEATURE_THRESHOLDS | keyof typeof APP_THRESHOLDS, number>
>;

function days(defaultValue: number, meaning: string): Threshold {
  return { defaultValue, min: 1, max: 90, isWhole: true, meaning };
}

function hours(defaultValue: number, meaning: string): Threshold {
  return { defaultValue, min: 1, max: 168, isWhole: true, meaning };
}

function evaluations(defaultValue: number, meaning: string): Threshold {
  return { defaultValue, min: 0, max: 999_999_999, isWhole: true, meaning };
}

function share(defaultValue: number, max: number, meaning: string): Threshold {
  return { defaultValue, min: 0, max, isWhole: false, meaning };
}

/** The thresholds of a query that names none. */
export const DEFAULT_THRESHOLDS = Object.fromEntries(
  Object.entries({ ...FEATURE_THRESHOLDS, ...APP_THRESHOLDS }).map(([name, { defaultValue }]) => [
    name,
    defaultValue,
  ]),
) as Thresholds; // all of them
