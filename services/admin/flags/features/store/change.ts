import type { PostgresClient } from '#base/postgres';
import type { Caller } from '#base/tokens';
import type { VersionCheck } from '../../../version-check.ts';
import { type LockedFeature, lockFeature, mayChange } from './lock.ts';

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

/** Why a feature is not changed. */
export type FeatureDenial =
  | 'unknown'
  | 'outdated'
  | 'owned by Unleash'
  | 'owned by its provider'
  | 'archived'
  | 'needs approval';

/** The result of a change, and the version of the feature afterwards. */
export type Changed<T> = { readonly version: number; readonly result: T };

/**
 * Locks an active feature and runs `work` on it. Only a change for all sources applies to features of Unleash. The lock runs concurrent changes one after the other, so that of
 * two changes with the same If-Match the second is outdated. A change of an environment needs approval where the environment
 * requires it; other changes do not, unless `work` asks for it. A feature of another flag system has no environments here.
 */
export async function changeFeature<T>(
  client: PostgresClient,
  write: FeatureWrite,
  work: (before: LockedFeature) => Promise<T>,
): Promise<Changed<T> | FeatureDenial> {
  const before = await lockFeature(client, write.feature);
  if (before?.project !== write.project || !(await isEnvironment(client, write.environment)))
    return 'unknown';
  const denial = await denialOf(client, before, write);
  if (denial !== undefined) return denial;
  return withVersion(client, write.feature, work(before));
}

/** Adds the version that the feature has after the work. */
export async function withVersion<T>(
  client: PostgresClient,
  feature: string,
  work: Promise<T>,
): Promise<Changed<T>> {
  const result = await work;
  return { result, version: await versionOf(client, feature) };
}

async function denialOf(
  client: PostgresClient,
  before: LockedFeature,
  { project, environment, caller, isCurrent, isForAllSources }: FeatureWrite,
): Promise<FeatureDenial | undefined> {
  if (!isCurrent(before.version)) return 'outdated';
  if (before.source === 'unleash' && isForAllSources !== true) return 'owned by Unleash';
  if (before.source === 'opentelemetry' && environment !== undefined) return 'owned by its provider';
  if (before.archived_at !== null) return 'archived';
  if (environment === undefined || (await mayChange(client, { project, environment }, caller)))
    return undefined;
  return 'needs approval';
}

async function isEnvironment(client: PostgresClient, environment: string | undefined): Promise<boolean> {
  if (environment === undefined) return true;
  const { rowCount } = await client.query('select from environments where name = $1', [environment]);
  return rowCount === 1;
}

async function versionOf(client: PostgresClient, feature: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>('select version from features where name = $1', [
    feature,
  ]);
  return rows[0]?.version ?? 0;
}
