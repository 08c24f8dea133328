import type { Application } from '#core/counting';
import { type Attributes, textOf } from '../mapping.ts';

/** As SDKs of OpenTelemetry name an application without a name. */
const UNKNOWN_APP = 'unknown_service';
const DEFAULT_ENVIRONMENT = 'default';

/** A resource without an environment has that of its token. */
export function ownerOf(
  resource: Attributes,
  scopeEnvironment: string,
): { readonly appName: string; readonly environment: string } {
  const ofToken = scopeEnvironment === '*' ? DEFAULT_ENVIRONMENT : scopeEnvironment;
  return {
    appName: textOf(resource, 'application') ?? UNKNOWN_APP,
    environment: textOf(resource, 'environment') ?? ofToken,
  };
}

/** The applications to register: those that sent evaluations for an environment of the token, each once. All share one list of projects. */
export function* applicationsOf(
  { resources }: { readonly resources: readonly { readonly resource: Attributes }[] },
  { environment: scopeEnvironment, projects: ofToken }: { environment: string; projects: readonly string[] },
): Generator<Application, undefined> {
  const projects = [...ofToken];
  const known = new Set<string>();
  for (const { resource } of resources) {
    const { appName, environment } = ownerOf(resource, scopeEnvironment);
    if (scopeEnvironment !== '*' && environment !== scopeEnvironment) continue;
    const instanceId = textOf(resource, 'instance') ?? null;
    const sdkVersion = sdkVersionOf(resource) ?? null;
    const key = JSON.stringify([appName, environment, instanceId, sdkVersion]);
    if (known.has(key)) continue;
    known.add(key);
    yield { appName, environment, instanceId, sdkVersion, projects };
  }
}

/** As SDKs of Unleash name themselves: `opentelemetry-nodejs:2.12.1`. */
function sdkVersionOf(resource: Attributes): string | undefined {
  const name = [textOf(resource, 'sdkName'), textOf(resource, 'sdkLanguage')].flatMap((part) => part ?? []);
  const version = textOf(resource, 'sdkVersion');
  if (name.length === 0) return undefined;
  return version === undefined ? name.join('-') : `${name.join('-')}:${version}`;
}
