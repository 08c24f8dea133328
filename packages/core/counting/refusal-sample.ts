import { MAX_ENVIRONMENT_LENGTH, MAX_NAME_LENGTH, displayableName, problemOfName } from '#base/schema';
import { type NamedValue, namesOfApplication } from './applications/application-names.ts';
import type { Application, Metric } from './schemas/batch-schema.ts';
import type { RefusalReason } from './refusals.ts';

/** The longest part of a value in a sample. */
const MAX_SHOWN = 64;

/** The value for which a metric was refused, short and safe to show: `timestamp: 1867-07-01T00:00:00Z`. */
export function sampleOfMetric(metric: Metric, reason: RefusalReason): string {
  const { featureName, appName, environment, timestamp, variants } = metric;
  if (reason === 'too_old' || reason === 'in_the_future') return showValue('timestamp', timestamp ?? '');
  if (reason === 'environment_not_allowed') return showValue('environment', environment);
  if (reason === 'too_many_environments') return showValue('environment', environment);
  if (reason === 'too_many_features') return showValue('featureName', featureName);
  if (reason === 'too_many_apps') return showValue('appName', appName);
  const variantNames = Object.keys(variants ?? {});
  if (reason === 'too_many_variants' || reason === 'too_many_variant_names' || reason === 'too_many_rows')
    return `${variantNames.length} variants`;
  const names: NamedValue[] = [
    ['featureName', featureName],
    ['appName', appName],
    ['environment', environment],
  ];
  return sampleOfNames([...names, ...variantNames.map((name) => ['variant', name] as const)], reason);
}

/** The value for which an application was refused. */
export function sampleOfApplication(application: Application, reason: RefusalReason): string {
  const { appName, environment, instanceId } = application;
  if (reason === 'too_many_apps') return showValue('appName', appName);
  if (reason === 'too_many_environments') return showValue('environment', environment ?? '');
  if (reason === 'too_many_instances') return showValue('instanceId', instanceId ?? '');
  const [strategies, projects] = [application.strategies ?? [], application.projects ?? []];
  if (reason === 'too_many_strategies' || reason === 'too_many_strategy_names')
    return `${strategies.length} strategies`;
  if (reason === 'too_many_projects' || reason === 'too_many_project_names')
    return `${projects.length} projects`;
  if (reason === 'too_many_relays') return `${application.connectVia?.length ?? 0} relays`;
  const names = namesOfApplication(application).filter(([field, value]) => value || field === 'appName');
  return sampleOfNames(names, reason);
}

/** The first name that has the problem. */
function sampleOfNames(names: readonly NamedValue[], reason: RefusalReason): string {
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
