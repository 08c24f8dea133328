import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { Denial, notFound, outdated, ownedByUnleash } from '../../../denial.ts';
import { type AdminRequest, nameParameter } from '../../../http/operation.ts';
import type { VersionCheck } from '../../../version-check.ts';
import { type LockedFeature, lockFeature, mayChange, ownedByProvider, versionOf } from './lock.ts';

/** A change of a feature, in one of its environments if it names one. */
export type FeatureWrite = {
  readonly project: string;
  readonly feature: string;
  readonly environment?: string;
  readonly caller: Caller;
  readonly isCurrent: VersionCheck;
  /** Whether the change also applies to features of Unleash. */
  readonly isForAllSources?: boolean;
};

export function writeOf(request: AdminRequest): FeatureWrite {
  return {
    project: nameParameter(request, 'projectId'),
    feature: nameParameter(request, 'featureName'),
    caller: request.caller,
    isCurrent: request.isCurrent,
  };
}

/** The result of a change, and the version of the feature afterwards. */
export type Changed<T> = { readonly version: number; readonly result: T };

/** Locks an active feature and runs `work` on it. Only a change for all sources applies to features of Unleash. */
export async function changeFeature<T>(
  client: PostgresClient,
  write: FeatureWrite,
  work: (before: LockedFeature) => Promise<T>,
): Promise<Changed<T>> {
  const before = await lockToChange(client, write);
  if (before.source === 'unleash' && write.isForAllSources !== true) throw ownedByUnleash('this feature');
  await requireChangeable(client, before, write);
  const result = await work(before);
  return { result, version: await versionOf(client, write.feature) };
}

/**
 * The lock runs concurrent changes one after the other, so that of two changes with the same If-Match the second is outdated.
 */
export async function lockToChange(
  client: PostgresClient,
  { feature, project, environment, isCurrent }: FeatureWrite,
): Promise<LockedFeature> {
  const before = await lockFeature(client, feature);
  if (before?.project !== project || !(await isEnvironment(client, environment)))
    throw notFound('There is no such feature in this project, or no such environment.');
  if (!isCurrent(before.version)) throw outdated('the feature');
  return before;
}

/**
 * A change of an environment needs approval where the environment requires it; other changes do not, unless they ask for it. A feature
 * of another flag system has no environments here.
 */
export async function requireChangeable(
  client: PostgresClient,
  before: LockedFeature,
  { project, environment, caller }: FeatureWrite,
): Promise<void> {
  if (before.source === 'opentelemetry' && environment !== undefined) throw ownedByProvider();
  if (before.archived_at !== null)
    throw new Denial('FeatureArchived', 'The feature is archived: revive it first.');
  if (environment !== undefined && !(await mayChange(client, { project, environment }, caller)))
    throw new Denial(
      'ApprovalRequired',
      'This environment requires approvals: open a change request, which can hold this change.',
    );
}

async function isEnvironment(client: PostgresClient, environment: string | undefined): Promise<boolean> {
  if (environment === undefined) return true;
  const { rowCount } = await client.query('select from environments where name = $1', [environment]);
  return rowCount === 1;
}
