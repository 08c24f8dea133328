import { type ApiToken, EVERY, type Permission } from '#base/tokens';
import type { Need } from './scope.ts';

/**
 * What it takes to create an API token, and to revoke it. Tokens that do more than count, and those of all projects, are for the whole
 * installation.
 */
export function needsOfToken(token: Scope): Need[] {
  return ofToken(token, 'MANAGE_TOKENS');
}

/**
 * What it takes besides to call a token trusted. What it sends turns features off where guards ask for it, without the approvals that
 * the environment requires: so whoever makes one could turn them off, and could set how many approvals are required.
 */
export function needsOfTrust(token: Scope): Need[] {
  return TRUST.flatMap((permission) => ofToken(token, permission));
}

type Scope = Pick<ApiToken, 'type' | 'projects' | 'environment'>;

const TRUST = ['UPDATE_FEATURE', 'UPDATE_PROJECT'] as const;

function ofToken({ type, projects, environment }: Scope, permission: Permission): Need[] {
  if (type === 'admin' || type === 'scan' || projects.length === 0)
    return [{ permission, within: undefined }];
  return projects.map((project) => ({
    permission,
    within: { project, environment: environment === '*' ? EVERY : environment },
  }));
}
