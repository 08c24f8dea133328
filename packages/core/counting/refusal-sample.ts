import {
  MAX_ENVIRONMENT_LENGTH,
  MAX_NAME_LENGTH,
  type NameProblem,
  displayableName,
  problemOfName,
} from '#base/schema';
import { type NamedValue, namesOfApplication } from './applications/application-names.ts';
import type { Application, Metric } from './schemas/batch-schema.ts';
import type { RefusalReason } from './refusals.ts';

/** The longest part of a value in a sample. */
const MAX_SHOWN = 64;

const variantsOf = ({ variants }: Metric): string => `${Object.keys(variants ?? {}).length} variants`;
const timestampOf = ({ timestamp }: Metric): string => showValue('timestamp', timestamp ?? '');
const environmentOf = ({ environment }: Metric): string => showValue('environment', environment);

/** What a refusal shows of its metric, by reason. If a name is the problem, it shows that name. */
const OF_METRIC = {
  too_old: timestampOf,
  in_the_future: timestampOf,
  environment_not_allowed: environmentOf,
  too_many_environments: environmentOf,
  too_many_features: ({ featureName }: Metric) => showValue('featureName', featureName),
  too_many_apps: ({ appName }: Metric) => showValue('appName', appName),
  too_many_variants: variantsOf,
  too_many_variant_names: variantsOf,
  too_many_rows: variantsOf,
} as const satisfies Partial<Record<RefusalReason, (metric: Metric) => string>>;

export type MetricRefusal = keyof typeof OF_METRIC | NameProblem;

/** The value for which a metric was refused, short and safe to show: `timestamp: 1867-07-01T00:00:00Z`. */
export function sampleOfMetric(metric: Metric, reason: MetricRefusal): string {
  if (isIn(OF_METRIC, reason)) return OF_METRIC[reason](metric);
  const { featureName, appName, environment, variants } = metric;
  const names: NamedValue[] = [
    ['featureName', featureName],
    ['appName', appName],
    ['environment', environment],
  ];
  const variantNames = Object.keys(variants ?? {}).map((name) => ['variant', name] as const);
  return sampleOfNames([...names, ...variantNames], reason);
}

const strategiesOf = ({ strategies }: Application): string => `${strategies?.length ?? 0} strategies`;
const projectsOf = ({ projects }: Application): string => `${projects?.length ?? 0} projects`;

/** The same of an application. */
const OF_APPLICATION = {
  too_many_apps: ({ appName }: Application) => showValue('appName', appName),
  too_many_environments: ({ environment }: Application) => showValue('environment', environment ?? ''),
  too_many_instances: ({ instanceId }: Application) => showValue('instanceId', instanceId ?? ''),
  too_many_strategies: strategiesOf,
  too_many_strategy_names: strategiesOf,
  too_many_projects: projectsOf,
  too_many_project_names: projectsOf,
  too_many_relays: ({ connectVia }: Application) => `${connectVia?.length ?? 0} relays`,
} as const satisfies Partial<Record<RefusalReason, (application: Application) => string>>;

export type ApplicationRefusal = keyof typeof OF_APPLICATION | NameProblem;

/** The value for which an application was refused. */
export function sampleOfApplication(application: Application, reason: ApplicationRefusal): string {
  if (isIn(OF_APPLICATION, reason)) return OF_APPLICATION[reason](application);
  const names = namesOfApplication(application).filter(([field, value]) => value || field === 'appName');
  return sampleOfNames(names, reason);
}

function isIn<Key extends string>(samples: Readonly<Record<Key, unknown>>, reason: string): reason is Key {
  return Object.hasOwn(samples, reason);
}

/** The first name that has the problem. */
function sampleOfNames(names: readonly NamedValue[], reason: NameProblem): string {
  for (const [field, value] of names) {
    const maxLength = field === 'environment' ? MAX_ENVIRONMENT_LENGTH : MAX_NAME_LENGTH;
    if (value != null && problemOfName(value, maxLength) === reason) return showValue(field, value);
  }
  return '';
}

/** `field: value`, short and printable. */
export function showValue(field: string, value: string): string {
  // A field may be the name of a label or attribute. The whole must be shorter than a name, or the worker cannot decode it.
  const name = shortened(field);
  if (value === '') return `${name}: (empty)`;
  if (value.length <= MAX_SHOWN) return `${name}: ${displayableName(value)}`;
  return `${name}: ${shortened(value)} (${value.length} characters)`;
}

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? displayableName(text) : `${displayableName(text.slice(0, MAX_SHOWN))}…`;
}
