import type { Registration } from '#counting';
import { splitByBody } from './bodies.ts';

/**
 * An application in the form of Unleash, which rejects one without `started` and `interval`, and one whose `sdkVersion` is
 * null.
 */
export type ApplicationItem = {
  readonly appName: string;
  readonly environment: string;
  readonly instanceId: string;
  /** ISO 8601. */
  readonly started: string;
  /** Milliseconds. */
  readonly interval: number;
  readonly strategies: readonly string[];
  readonly projects?: readonly string[];
  readonly sdkVersion?: string;
  readonly sdkType?: string;
};

export type ApplicationsPost = { readonly environment: string; readonly items: readonly ApplicationItem[] };

/** Unleash would reject the whole post if it contained another value. */
const SDK_TYPES: ReadonlySet<string> = new Set(['frontend', 'backend']);

/** The posts of registrations, each for one environment, like those of counts. */
export function applicationPostsOf(registrations: readonly Registration[]): ApplicationsPost[] {
  return splitByBody(registrations.map(itemOf)).map(({ environment, part }) => ({
    environment,
    items: part,
  }));
}

function itemOf(registration: Registration): ApplicationItem {
  const { appName, environment, instanceId, sdkVersion, sdkType, intervalMs, strategies, projects, seenAt } =
    registration;
  return {
    appName,
    environment,
    instanceId,
    started: new Date(seenAt).toISOString(),
    interval: intervalMs ?? 0,
    strategies,
    ...(projects.length === 0 ? {} : { projects }),
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
    ...(sdkType !== undefined && SDK_TYPES.has(sdkType) ? { sdkType } : {}),
  };
}
