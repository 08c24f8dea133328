import { ConfigError } from '../../errors.ts';
import { projectRolesOf, splitList } from '../config-formats.ts';
import type { Environment } from '../settings/config-schema.ts';

export function authOf(env: Environment) {
  return {
    type: env.AUTH_TYPE,
    hosts: splitList(env.ADMIN_HOSTS),
    oidc: oidcOf(env),
    /** When a session ends: so long after its last use, and so long after it began. */
    sessions: { idleMs: env.SESSION_IDLE_MINUTES * 60_000, maxMs: env.SESSION_HOURS * 3_600_000 },
    /** 0 for no limit. */
    maxTokenDays: {
      admin: env.MAX_DAYS_OF_ADMIN_TOKENS,
      client: env.MAX_DAYS_OF_CLIENT_TOKENS,
      frontend: env.MAX_DAYS_OF_FRONTEND_TOKENS,
      scan: env.MAX_DAYS_OF_SCAN_TOKENS,
      personal: env.MAX_DAYS_OF_PERSONAL_TOKENS,
    },
  };
}

/** Undefined unless people sign in by OpenID Connect. */
function oidcOf(env: Environment) {
  if (env.AUTH_TYPE !== 'oidc') return undefined;
  const { OIDC_ISSUER: issuer, CONSOLE_URL: consoleUrl } = env;
  if (issuer === undefined || consoleUrl === undefined)
    throw new ConfigError('AUTH_TYPE=oidc needs OIDC_ISSUER and CONSOLE_URL'); // the contradictions say it before
  return {
    issuer,
    clientId: env.OIDC_CLIENT_ID,
    /** Undefined for a public client. */
    clientSecret: env.OIDC_CLIENT_SECRET === '' ? undefined : env.OIDC_CLIENT_SECRET,
    scopes: env.OIDC_SCOPES,
    claims: {
      groupsClaim: env.OIDC_GROUPS_CLAIM,
      areAddressesVerified: env.OIDC_ALLOW_MISSING_EMAIL_VERIFIED,
      isWithoutGroups: env.OIDC_ALLOW_MISSING_GROUPS,
    },
    /** The groups of each role, from the highest role to the lowest. */
    roles: [
      { role: 'Admin', groups: splitList(env.OIDC_ADMIN_GROUPS) },
      { role: 'Editor', groups: splitList(env.OIDC_EDITOR_GROUPS) },
      { role: 'Viewer', groups: splitList(env.OIDC_VIEWER_GROUPS) },
      { role: 'None', groups: splitList(env.OIDC_NONE_GROUPS) },
    ],
    projectRoles: projectRolesOf(env.OIDC_PROJECT_ROLES),
    /** Without a slash at the end. */
    consoleUrl: new URL(consoleUrl).href.replace(/\/+$/, ''),
  } as const;
}

const NEEDED = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'CONSOLE_URL'] as const;
const GROUPS = [
  ...(['OIDC_ADMIN_GROUPS', 'OIDC_EDITOR_GROUPS', 'OIDC_VIEWER_GROUPS'] as const),
  ...(['OIDC_NONE_GROUPS', 'OIDC_PROJECT_ROLES'] as const),
] as const;

/** The contradictions in the settings of authentication, one sentence each. */
export function authContradictionsOf(env: Environment, given: readonly string[]): (string | undefined)[] {
  if (env.AUTH_TYPE !== 'oidc')
    return given
      .filter((name) => name.startsWith('OIDC_'))
      .map((name) => `${name} needs AUTH_TYPE=oidc, because people sign in with tokens otherwise`);
  return [
    ...NEEDED.filter((name) => (env[name] ?? '') === '').map(
      (name) => `${name} is required with AUTH_TYPE=oidc`,
    ),
    GROUPS.every((name) => splitList(env[name]).length === 0)
      ? `one of ${GROUPS.join(', ')} is required with AUTH_TYPE=oidc, because nobody could sign in`
      : undefined,
    env.OIDC_SCOPES.split(' ').includes('openid') ? undefined : 'OIDC_SCOPES must have openid',
    isSafe(env.OIDC_ISSUER) ? undefined : 'OIDC_ISSUER must be https, because it says who somebody is',
    isSafe(env.CONSOLE_URL)
      ? undefined
      : 'CONSOLE_URL must be https with AUTH_TYPE=oidc, because of its cookies',
  ];
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/** Nobody can read the traffic of this machine with itself. */
function isSafe(url: string | undefined): boolean {
  if (url === undefined) return true;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || LOOPBACK.includes(hostname);
}
