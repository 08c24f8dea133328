import { HttpProblem } from '#base/http';
import {
  type Caller,
  EVERY,
  type Permission,
  type ProjectScope,
  hasPermission,
  mayIn,
  projectsWith,
} from '#base/tokens';
import { notFound } from '../../denial.ts';
import type { Operation } from '../operation.ts';
import type { ProjectLookups, TokenScope } from './project-lookups.ts';
import type { InProject, Need, Scope } from './scope.ts';
import { needsOfToken } from './token-needs.ts';

export type Guarded = Pick<Operation, 'permission' | 'scope'>;

type Parameters = Readonly<Record<string, string>>;
type Addressed = { readonly lookups: ProjectLookups; readonly parameters: Parameters };

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
  { lookups, parameters }: Addressed,
): Promise<void> {
  if (!isInProject(scope) || scope.project === 'body') return;
  if (hasPermission(caller.role, permission)) return;
  if (scope.project === 'token')
    checkToken(caller, permission, await lookups.scopeOfToken(parameters['tokenId'] ?? ''));
  else require(caller, permission, await withinOf(scope, lookups, parameters));
}

/** Taking a token takes what creating it takes. */
function checkToken(caller: Caller, permission: Permission, token: TokenScope | undefined): void {
  if (token === undefined) throw notFound();
  const environment = token.environment === '*' ? EVERY : token.environment;
  const projects = token.projects.length === 0 ? ['*'] : token.projects;
  for (const project of projects) require(caller, permission, { project, environment });
  if (needsOfToken(token).some(({ within }) => within === undefined)) throw lacks(permission, undefined);
}

/** Checks what the body asks for in addition. */
export async function checkBody(
  caller: Caller,
  { scope }: Guarded,
  addressed: Addressed & { readonly body: unknown },
): Promise<void> {
  if (!isInProject(scope)) return;
  const missing = (scope.needsOf?.(addressed.body) ?? []).filter(
    ({ permission }) => !hasPermission(caller.role, permission),
  );
  for (const need of missing) await checkNeed(caller, need, addressed);
}

async function checkNeed(
  caller: Caller,
  { permission, within }: Need,
  { lookups, parameters }: Addressed,
): Promise<void> {
  if (within === undefined) throw lacks(permission, undefined);
  if (within !== 'change request') {
    require(caller, permission, within);
    return;
  }
  const { projectId: project = '', id = '' } = parameters;
  const environment = (await lookups.environmentOfChangeRequest(project, id)) ?? EVERY;
  require(caller, permission, { project, environment });
}

function isInProject(scope: Scope): scope is InProject {
  return typeof scope === 'object';
}

async function withinOf(
  scope: InProject,
  lookups: ProjectLookups,
  parameters: Parameters,
): Promise<ProjectScope> {
  const project = await projectOf(scope, lookups, parameters);
  if (project === undefined) throw notFound();
  const environment = scope.environment === 'path' ? parameters['environment'] : scope.environment;
  return { project, environment };
}

async function projectOf(
  { project }: InProject,
  lookups: ProjectLookups,
  { projectId, featureName = '', verdictId = '' }: Parameters,
): Promise<string | undefined> {
  if (project === 'feature') return lookups.projectOfFeature(featureName);
  if (project === 'verdict') return lookups.projectOfVerdict(verdictId);
  return projectId;
}

function require(caller: Caller, permission: Permission, within: ProjectScope): void {
  if (mayIn(caller, permission, within)) return;
  if (!mayIn(caller, 'READ', { project: within.project })) throw notFound();
  throw lacks(permission, within);
}

function lacks(permission: Permission, within: ProjectScope | undefined): HttpProblem {
  return new HttpProblem(
    403,
    `This needs the permission ${permission}${within === undefined ? '' : wordsOf(within)}.`,
  );
}

function wordsOf({ project, environment }: ProjectScope): string {
  if (environment === undefined) return ` in the project ${project}`;
  return environment === EVERY
    ? ` in every environment of the project ${project}`
    : ` in the environment ${environment} of the project ${project}`;
}
