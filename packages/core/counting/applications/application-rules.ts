import { type Registration, registrationOf } from './applications-message.ts';
import type { BatchNames } from '../names/batch-names.ts';
import { hashOfName, hashOfPair } from '../names/name-hash.ts';
import { namesOfApplication } from './application-names.ts';
import type { Application } from '../schemas/batch-schema.ts';
import type { ApplicationRefusal } from '../refusal-sample.ts';
import type { createNameChecks } from '../refusals.ts';

/** The limit for strategies is far above what any SDK has; the limit for projects is Unleash's own. */
export const MAX_STRATEGIES = 100;
export const MAX_PROJECTS = 500;
/** Relays are chained two or three deep. An instance keeps only those of its last report, so they need no quota of names. */
export const MAX_RELAYS = 10;

export type ApplicationRules = {
  readonly checks: ReturnType<typeof createNameChecks>;
  /** The names that the token may send in this hour; undefined means no limit. */
  readonly names: BatchNames | undefined;
};

/** Why an application is not registered; undefined if it is. */
export function refusalOfApplication(
  application: Application,
  { checks, names }: ApplicationRules,
): ApplicationRefusal | undefined {
  const { strategies, projects, connectVia } = application;
  if (strategies && strategies.length > MAX_STRATEGIES) return 'too_many_strategies';
  if (projects && projects.length > MAX_PROJECTS) return 'too_many_projects';
  if (connectVia && connectVia.length > MAX_RELAYS) return 'too_many_relays';
  for (const [field, name] of namesOfApplication(application)) {
    if (!name && field !== 'appName') continue;
    const problem = field === 'environment' ? checks.environment(name ?? '') : checks.name(name ?? '');
    if (problem !== undefined) return problem;
  }
  // Checked last, because a name takes room and a refused application must take none.
  return names?.attempt((all) => refusalOfNames(registrationOf(application, 0), all));
}

/** The names under which the application is stored, with the default of each absent one. */
function refusalOfNames(
  { appName, environment, instanceId, strategies, projects }: Registration,
  names: BatchNames,
): ApplicationRefusal | undefined {
  if (!names.admit('app', hashOfName(appName))) return 'too_many_apps';
  if (!names.admit('environment', hashOfName(environment))) return 'too_many_environments';
  const place = hashOfName(JSON.stringify([appName, environment]));
  if (!names.admit('instance', hashOfPair(place, hashOfName(instanceId)))) return 'too_many_instances';
  for (const strategy of strategies)
    if (!names.admit('strategy', hashOfName(strategy))) return 'too_many_strategy_names';
  for (const project of projects)
    if (!names.admit('project', hashOfPair(place, hashOfName(project)))) return 'too_many_project_names';
  return undefined;
}
