import type { Application } from './schemas/batch-schema.ts';

export type NamedValue = readonly [field: string, value: string | null | undefined];

/** All names of an application, in the order in which they are checked. Only `appName` may not be empty or absent. */
export function namesOfApplication(application: Application): NamedValue[] {
  const { appName, environment, instanceId, sdkVersion, sdkType } = application;
  return [
    ['appName', appName],
    ['environment', environment],
    ['instanceId', instanceId],
    ['sdkVersion', sdkVersion],
    ['sdkType', sdkType],
    ['platformName', textOf(application.platformName)],
    ['platformVersion', textOf(application.platformVersion)],
    ['yggdrasilVersion', textOf(application.yggdrasilVersion)],
    ...(application.strategies ?? []).map((name) => ['strategy', name] as const),
    ...(application.projects ?? []).map((name) => ['project', name] as const),
    ...(application.connectVia ?? []).flatMap((relay) => [
      ['relay', relay.appName] as const,
      ['relay instance', relay.instanceId] as const,
    ]),
  ];
}

/** A member that is no text, or empty, is absent. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
