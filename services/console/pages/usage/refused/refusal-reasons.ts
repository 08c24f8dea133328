type RefusalReason = {
  readonly title: string;
  /** What the sender or the operator can do about it. */
  readonly advice: string;
};

const RAISE_HOURLY = 'Look for names that contain ids; if all are meant, raise';

const SET_DELTA = 'set OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE=delta';

const REASONS: Readonly<Record<string, RefusalReason>> = {
  empty_name: {
    title: 'Empty name',
    advice: 'Set the name of the feature, application or environment in the sender.',
  },
  name_too_long: {
    title: 'Name too long',
    advice: 'Use at most 255 characters, and at most 100 for an environment.',
  },
  invalid_character: {
    title: 'Invalid character',
    advice: 'Remove control characters and broken Unicode from the name.',
  },
  too_old: {
    title: 'Too old',
    advice: 'Check the clock of the relay and its delay, or raise MAX_METRIC_AGE_HOURS.',
  },
  in_the_future: {
    title: 'In the future',
    advice: 'Set the clock of the relay, or raise MAX_METRIC_FUTURE_MINUTES.',
  },
  too_many_variants: {
    title: 'Too many variants',
    advice: 'Use fewer variants in the feature, or raise MAX_VARIANTS.',
  },
  environment_not_allowed: {
    title: 'Environment not allowed',
    advice: 'Give the sender a token of the environment that it reports, or of all environments.',
  },
  too_many_features: { title: 'Too many features', advice: `${RAISE_HOURLY} MAX_FEATURES_PER_HOUR.` },
  too_many_apps: { title: 'Too many applications', advice: `${RAISE_HOURLY} MAX_APPS_PER_HOUR.` },
  too_many_environments: {
    title: 'Too many environments',
    advice: `${RAISE_HOURLY} MAX_ENVIRONMENTS_PER_HOUR.`,
  },
  too_many_variant_names: {
    title: 'Too many names of variants',
    advice: `${RAISE_HOURLY} MAX_VARIANT_NAMES_PER_HOUR.`,
  },
  too_many_rows: { title: 'Too many rows', advice: `${RAISE_HOURLY} MAX_ROWS_PER_HOUR.` },
  too_many_instances: { title: 'Too many instances', advice: `${RAISE_HOURLY} MAX_INSTANCES_PER_HOUR.` },
  too_many_strategies: {
    title: 'Too many strategies',
    advice: 'Report at most 100 strategies in one application.',
  },
  too_many_projects: {
    title: 'Too many projects',
    advice: 'Report at most 500 projects in one application.',
  },
  too_many_relays: {
    title: 'Too many relays',
    advice: 'Report at most 10 relays in connectVia of one application.',
  },
  too_many_strategy_names: {
    title: 'Too many names of strategies',
    advice: `${RAISE_HOURLY} MAX_STRATEGIES_PER_HOUR.`,
  },
  too_many_project_names: {
    title: 'Too many names of projects',
    advice: `${RAISE_HOURLY} MAX_APP_PROJECTS_PER_HOUR.`,
  },
  invalid_sample: {
    title: 'Invalid sample',
    advice: 'Correct the impact metric in the application: the example shows the member that does not fit.',
  },
  too_many_labels: {
    title: 'Too many labels',
    advice: 'Use at most 30 labels in one sample of an impact metric.',
  },
  too_many_buckets: { title: 'Too many buckets', advice: 'Use at most 100 buckets in a histogram.' },
  too_many_bounds: {
    title: 'Too many lists of bounds',
    advice: 'The bounds of a histogram must not depend on what it measures.',
  },
  too_many_series: { title: 'Too many series', advice: `${RAISE_HOURLY} MAX_SERIES_PER_HOUR.` },
  invalid_count: {
    title: 'Invalid count',
    advice:
      'Send whole numbers from 0 to 2^53-1. In an exported history, correct the count and import it again.',
  },
  not_a_counter: {
    title: 'Not a counter',
    advice: 'Count evaluations with a monotonic sum of OpenTelemetry, or send them as log records.',
  },
  no_instance: {
    title: 'Counter without an instance',
    advice: `Give each process its own service.instance.id, or ${SET_DELTA}.`,
  },
  no_start_time: {
    title: 'Counter without a start',
    advice: `The SDK must send when the counter began. Otherwise ${SET_DELTA}.`,
  },
  unreadable_attributes: {
    title: 'Unreadable attributes',
    advice: 'Send at most 128 attributes with a counter, and no lists or maps.',
  },
  key_too_long: {
    title: 'Text of a counter too long',
    advice: 'Scope, instance, namespace and attributes of a counter have at most 1,024 characters each.',
  },
  unknown_start: {
    title: 'Counter known too late',
    advice: 'The counter began long before its first value arrived. Its later evaluations are counted.',
  },
  counter_fell: {
    title: 'Counter fell',
    advice: `Two processes send the same counter. Give each its own service.instance.id, or ${SET_DELTA}.`,
  },
  too_many_counters: {
    title: 'Too many counters',
    advice: `In the applications ${SET_DELTA}: these counters need no memory.`,
  },
};

/** A newer server may have reasons that this page does not know. */
export function reasonOf(reason: string): RefusalReason {
  return REASONS[reason] ?? { title: reason.replaceAll('_', ' '), advice: 'Look at the sample.' };
}
