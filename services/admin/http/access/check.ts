import { HttpProblem } from '#base/http';
import {
  type Caller,
  EVERY,
  type Permission,
  type Place,
  hasPermission,
  mayIn,
  projectsWith,
} from '#base/tokens';
import { notFound } from '../../denial.ts';
import type { Operation } from '../operation.ts';
import type { Places, TokenScope } from './places.ts';
import type { InProject, Need, Scope } from './scope.ts';
import { needsOfToken } from './token-needs.ts';

export type Guarded = Pick<Operation, 'permission' | 'scope'>;

type Parameters = Readonly<Record<string, string>>;
type Asked = { readonly places: Places; readonly parameters: Parameters };

/** What is known before the path, the query and the body are read. Throws a 403 if the caller has the permission nowhere it is needed. */
export function checkCaller(caller: Caller, { permission, scope }: Guarded): void {
  if (hasPermission(caller.role, permission)) return;
  if (scope === 'installation') throw lacks(permission, undefined);
  // Who may read everywhere learns nothing from a 403, and others get a 404 for what they may not see.
  if (isInProject(scope) && scope.project !== 'body' && !hasPermission(caller.role, 'READ')) return;
  if (projectsWith(caller, permission)?.length === 0) throw lacks(permission, undefined);
}

/** Throws a 404 if the caller may not see the project, as if it did not exist, and a 403 if the permission is missing there. */
export async function checkPath(
  caller: Caller,
  { permission, scope }: Guarded,
  { places, parameters }: Asked,
): Promise<void> {
  if (!isInProject(scope) || scope.project === 'body') return;
  if (hasPermission(caller.role, permission)) return;
  if (scope.project === 'token')
    checkToken(caller, permission, await places.scopeOfToken(parameters['tokenId'] ?? ''));
  else require(caller, permission, await placeOf(scope, places, parameters));
}

/** Taking a token takes what creating it takes. */
function checkToken(caller: Caller, permission: Permission, token: TokenScope | undefined): void {
  if (token === undefined) throw notFound();
  const environment = token.environment === '*' ? EVERY : token.environment;
  const projects = token.projects.length === 0 ? ['*'] : token.projects;
  for (const project of projects) require(caller, permission, { project, environment });
  if (needsOfToken(token).some(({ place }) => place === undefined)) throw lacks(permission, undefined);
}

/** Checks what the body asks for in addition. */
export async function checkBody(
  caller: Caller,
  { scope }: Guarded,
  asked: Asked & { readonly body: unknown },
): Promise<void> {
  if (!isInProject(scope)) return;
  const missing = (scope.needsOf?.(asked.body) ?? []).filter(
    ({ permission }) => !hasPermission(caller.role, permission),
  );
  for (const need of missing) await checkNeed(caller, need, asked);
}

async function checkNeed(
  caller: Caller,
  { permission, place }: Need,
  { places, parameters }: Asked,
): Promise<void> {
  if (place === undefined) throw lacks(permission, undefined);
  if (place !== 'change request') {
    require(caller, permission, place);
    return;
  }
  const { projectId: project = '', id = '' } = parameters;
  const environment = (await places.environmentOfChangeRequest(project, id)) ?? EVERY;
  require(caller, permission, { project, environment });
}

function isInProject(scope: Scope): scope is InProject {
  return typeof scope === 'object';
}

async function placeOf(scope: InProject, places: Places, parameters: Parameters): Promise<Place> {
  const project = await projectOf(scope, places, parameters);
  if (project === undefined) throw notFound();
  const environment = scope.environment === 'path' ? parameters['environment'] : scope.environment;
  return { project, environment };
}

async function projectOf(
  { project }: InProject,
  places: Places,
  { projectId, featureName = '', verdictId = '' }: Parameters,
): Promise<string | undefined> {
  if (project === 'feature') return places.projectOfFeature(featureName);
  if (project === 'verdict') return places.projectOfVerdict(verdictId);
  return projectId;
}

function require(caller: Caller, permission: Permission, place: Place): void {
  if (mayIn(caller, permission, place)) return;
  if (!mayIn(caller, 'READ', { project: place.project })) throw notFound();
  throw lacks(permission, place);
}

function lacks(permission: Permission, place: Place | undefined): HttpProblem {
  return new HttpProblem(
    403,
    `This needs the permission ${permission}${place === undefined ? '' : inPlace(place)}.`,
  );
}

function inPlace({ project, environment }: Place): string {
  if (environment === undefined) return ` in the project ${project}`;
  return environment === EVERY
    ? ` in every environment of the project ${project}`
    : ` in the environment ${environment} of the project ${project}`;
}
