import { limit, secret, text, whole } from './setting.ts';

const groups = (role: string) =>
  text('', `groups of ${role}s, comma separated; * for everybody who signs in`);

const tokenDays = (type: string, days: number) =>
  limit(
    days,
    { share: 'same', min: 0, max: 3650 },
    `longest life of a new ${type} token in days; 0 for no limit`,
  );

/** The settings of authentication by the admin API and its console. */
export const authSettings = {
  AUTH_TYPE: {
    type: 'string',
    enum: ['token', 'oidc', 'none'],
    default: 'token',
    description:
      'with oidc, people sign in by OpenID Connect, and tokens stay valid; none lets everybody use the admin API',
  },
  OIDC_ISSUER: {
    type: 'string',
    format: 'base-url',
    description:
      'address of the identity provider, exactly as it names itself; https, or http on this machine',
  },
  OIDC_CLIENT_ID: text('', 'client id of flagmeter at the provider'),
  OIDC_CLIENT_SECRET: secret('secret of that client; empty for a public client'),
  OIDC_SCOPES: text('openid profile email', 'scopes to ask for, separated by spaces'),
  OIDC_GROUPS_CLAIM: text('groups', 'claim with the groups of a user: a text, or a list of texts'),
  OIDC_ALLOW_MISSING_GROUPS: {
    type: 'boolean',
    default: false,
    description:
      'true takes a user without that claim for one without groups, instead of refusing the sign-in',
  },
  OIDC_ALLOW_MISSING_EMAIL_VERIFIED: {
    type: 'boolean',
    default: false,
    description: 'true takes e-mail addresses for verified if the provider does not say whether they are',
  },
  OIDC_ADMIN_GROUPS: groups('Admin'),
  OIDC_EDITOR_GROUPS: groups('Editor'),
  OIDC_VIEWER_GROUPS: groups('Viewer'),
  OIDC_NONE_GROUPS: text(
    '',
    'groups of people with only roles of projects, comma separated; * for everybody',
  ),
  OIDC_PROJECT_ROLES: {
    type: 'string',
    default: '',
    format: 'project-roles',
    description:
      'roles of projects that groups give, such as shop-team=shop:Editor:development+staging, comma separated; without environments, every one',
  },
  SESSION_IDLE_MINUTES: whole(
    60,
    { min: 5, max: 10_080, why: 'uses of a session are recorded once a minute' },
    'minutes without a request after which a session ends',
  ),
  SESSION_HOURS: whole(12, { min: 1, max: 720 }, 'hours after the sign-in at which a session ends'),
  MAX_DAYS_OF_ADMIN_TOKENS: tokenDays('ADMIN', 0),
  MAX_DAYS_OF_CLIENT_TOKENS: tokenDays('client', 0),
  MAX_DAYS_OF_FRONTEND_TOKENS: tokenDays('frontend', 0),
  MAX_DAYS_OF_SCAN_TOKENS: tokenDays('scan', 0),
  MAX_DAYS_OF_PERSONAL_TOKENS: tokenDays('personal', 366),
  ADMIN_HOSTS: text(
    '',
    'host names of the admin API while AUTH_TYPE is none, comma separated; localhost and IP addresses are always allowed',
  ),
} as const;
