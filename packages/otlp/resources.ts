import type { Application } from '#counting';
import type { FoundInBody } from './found.ts';
import { type Attributes, textOf } from './mapping.ts';

/** As SDKs of OpenTelemetry name an application without a name. */
const UNKNOWN_APP = 'unknown_service';
const DEFAULT_ENVIRONMENT = 'default';

/** A resource without an environment has that of its token. */
export function placeOf(
  resource: Attributes,
  scopeEnvironment: string,
): { readonly appName: string; readonly environment: string } {
  const ofToken = scopeEnvironment === '*' ? DEFAULT_ENVIRONMENT : scopeEnvironment;
  return {
    appName: textOf(resource, 'application') ?? UNKNOWN_APP,
    environment: textOf(resource, 'environment') ?? ofToken,
  };
}

/** The applications to register: one for each resource that sent evaluations for an environment of the token. */
export function applicationsOf(
  { resources }: Pick<FoundInBody, 'resources'>,
  { environment: scopeEnvironment, projects }: { environment: string; projects: readonly string[] },
): Application[] {
  return resources.flatMap(({ resource }) => {
    const { appName, environment } = placeOf(resource, scopeEnvironment);
    if (scopeEnvironment !== '*' && environment !== scopeEnvironment) return [];
    return {
      appName,
      environment,
      instanceId: textOf(resource, 'instance') ?? null,
      sdkVersion: sdkVersionOf(resource) ?? null,
      projects: [...projects],
    };
  });
}

/** As SDKs of Unleash name themselves: `opentelemetry-nodejs:2.12.1`. */
function sdkVersionOf(resource: Attributes): string | undefined {
  const name = [textOf(resource, 'sdkName'), textOf(resource, 'sdkLanguage')].flatMap((part) => part ?? []);
  const version = textOf(resource, 'sdkVersion');
  if (name.length === 0) return undefined;
  return version === undefined ? name.join('-') : `${name.join('-')}:${version}`;
}
