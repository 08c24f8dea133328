import type { Registration, ViaRelay } from '#core/counting';
import { SAMPLE_APPS, SAMPLE_ENVIRONMENTS, SHAPES } from '../shop/applications.ts';
import { SAMPLE_PROJECTS } from '../shop/features.ts';

const HOUR_MS = 3_600_000;
/** Before the first event of a feature. */
const REGISTERED_HOURS_AGO = 365 * 24;
/** Relays in each environment. */
const RELAYS = 2;

/**
 * The instances of the sample. They say that they report once an hour, so that they count as live for some hours after the
 * sample was made.
 */
export function registrationsOf(madeAt: number): Registration[] {
  return SAMPLE_APPS.flatMap((appName) => {
    const { sdkType, sdkVersions, platform, yggdrasilVersion, isBehindRelay, ...shape } = SHAPES[appName];
    const { instances, silentForHours = 0 } = shape;
    const projects = SAMPLE_PROJECTS.flatMap(({ id, features }) =>
      features.some(({ apps }) => apps.includes(appName)) ? id : [],
    );
    const environments = appName === 'sample-mailer' ? (['production'] as const) : SAMPLE_ENVIRONMENTS;
    return environments.flatMap((environment) =>
      Array.from({ length: environment === 'production' ? instances : 1 }, (_, index) => ({
        appName,
        environment,
        sdkType,
        projects,
        yggdrasilVersion,
        instanceId: `${appName}-${index + 1}`,
        sdkVersion: sdkVersions[index % sdkVersions.length] ?? sdkVersions[0],
        platformName: platform.name,
        platformVersion: platform.version,
        connectVia: isBehindRelay ? [relayOf(environment, index)] : undefined,
        intervalMs: HOUR_MS,
        strategies: ['default', 'flexibleRollout'],
        specVersion: undefined,
        sdkFlavor: undefined,
        sdkFlavorVersion: undefined,
        startedAt: undefined,
        seenAt: index === 0 ? madeAt - silentForHours * HOUR_MS : madeAt,
      })),
    );
  });
}

function relayOf(environment: string, index: number): ViaRelay {
  return { appName: 'sample-edge', instanceId: `${environment}-${(index % RELAYS) + 1}` };
}

/** When the applications were registered, so that their registration is older than what people changed. Epoch milliseconds. */
export function registeredAt(madeAt: number): number {
  return madeAt - REGISTERED_HOURS_AGO * HOUR_MS;
}
