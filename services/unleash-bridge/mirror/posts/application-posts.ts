import {
  PLATFORM_MEMBERS,
  type Platform,
  type Registration,
  type ViaRelay,
  intervalForSdk,
} from '#core/counting';
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
  /** In the unit of the SDK. */
  readonly interval: number;
  /** Absent in a registration that comes from counts: an empty list would replace those that Unleash knows. */
  readonly strategies?: readonly string[];
  readonly projects?: readonly string[];
  readonly sdkVersion?: string;
  readonly sdkType?: string;
  readonly connectVia?: readonly ViaRelay[];
} & { readonly [member in keyof Platform]?: string };

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
  const { appName, environment, instanceId, sdkVersion, sdkType, intervalMs, strategies, projects } =
    registration;
  const { startedAt, seenAt, connectVia } = registration;
  return {
    appName,
    environment,
    instanceId,
    started: new Date(startedAt ?? seenAt).toISOString(),
    interval: intervalForSdk(intervalMs ?? 0, sdkVersion),
    ...(strategies.length === 0 ? {} : { strategies }),
    ...(projects.length === 0 ? {} : { projects }),
    ...(sdkVersion === undefined ? {} : { sdkVersion }),
    ...(sdkType !== undefined && SDK_TYPES.has(sdkType) ? { sdkType } : {}),
    ...(connectVia === undefined ? {} : { connectVia }),
    ...platformOf(registration),
  };
}

/** A longer one would cost the whole post. */
const MAX_FLAVOR_VERSION = 32;

function platformOf(registration: Registration): { readonly [member in keyof Platform]?: string } {
  const known = PLATFORM_MEMBERS.flatMap((member) => {
    const text = registration[member];
    const fits = member !== 'sdkFlavorVersion' || (text ?? '').length <= MAX_FLAVOR_VERSION;
    return text !== undefined && fits ? [[member, text] as const] : [];
  });
  return Object.fromEntries(known);
}
