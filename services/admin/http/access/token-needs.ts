import { type ApiToken, EVERY } from '#base/tokens';
import type { Need } from './scope.ts';

/**
 * What it takes to create an API token, and to revoke it. Tokens that do more than count, and those of all projects, are for the whole
 * installation.
 */
export function needsOfToken({
  type,
  projects,
  environment,
}: Pick<ApiToken, 'type' | 'projects' | 'environment'>): Need[] {
  const permission = 'MANAGE_TOKENS';
  if (type === 'admin' || type === 'scan' || projects.length === 0) return [{ permission, place: undefined }];
  return projects.map((project) => ({
    permission,
    place: { project, environment: environment === '*' ? EVERY : environment },
  }));
}
