/** The registration of an SDK. A relay forgets a registration with an instance id after sending it. */
export type Registration = {
  readonly appName: string;
  readonly environment?: string;
  readonly projects?: readonly string[];
  readonly instanceId?: string;
  readonly connectionId?: string;
  readonly intervalMs?: number;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly strategies?: readonly string[];
  readonly origin?: Partial<Origin>;
};

/** Unknown values are sent as null; an unknown flavor is left out. */
export type Origin = {
  readonly sdkVersion: string | null;
  readonly sdkType: string | null;
  readonly yggdrasilVersion: string | null;
  readonly platformName: string | null;
  readonly platformVersion: string | null;
  readonly sdkFlavor?: string;
  readonly sdkFlavorVersion?: string;
};

export type RelayApplication = Origin & {
  readonly appName: string;
  readonly connectVia: readonly { readonly appName: string; readonly instanceId: string }[];
  readonly environment: string | null;
  readonly projects?: readonly string[];
  readonly instanceId: string | null;
  readonly connectionId: string | null;
  readonly interval: number;
  readonly started: string;
  readonly strategies: readonly string[];
};

/** The members have the order of Edge (docs/develop/unleash.md#pushes-of-edge); `via` is the relay itself. */
export function toApplication(
  registration: Registration,
  via: { readonly appName: string; readonly instanceId: string },
): RelayApplication {
  const { appName, environment, projects = [], instanceId, connectionId, origin } = registration;
  return {
    appName,
    connectVia: [via],
    environment: environment ?? null,
    ...(projects.length > 0 ? { projects } : {}),
    instanceId: instanceId ?? null,
    connectionId: connectionId ?? null,
    interval: registration.intervalMs ?? 15_000,
    started: toTimestamp(registration.startedAt),
    strategies: registration.strategies ?? [],
    ...toOrigin(origin),
  };
}

/** Metadata as Edge sends it, with null for what is not known. */
export function toOrigin(origin: Partial<Origin> = {}): Origin {
  const { sdkFlavor, sdkFlavorVersion } = origin;
  return {
    sdkVersion: origin.sdkVersion ?? null,
    sdkType: origin.sdkType ?? null,
    yggdrasilVersion: origin.yggdrasilVersion ?? null,
    platformName: origin.platformName ?? null,
    platformVersion: origin.platformVersion ?? null,
    ...(sdkFlavor === undefined ? {} : { sdkFlavor }),
    ...(sdkFlavorVersion === undefined ? {} : { sdkFlavorVersion }),
  };
}

/** RFC 3339 in UTC; whole seconds have no fraction. */
export function toTimestamp(at: number): string {
  return new Date(at).toISOString().replace('.000Z', 'Z');
}
