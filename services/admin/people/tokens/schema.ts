import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableTime, nullableUuid, text, time, urlName, uuid } from '#base/schema';

const API_TOKEN_TYPES = ['admin', 'client', 'frontend', 'scan'] as const;

/** The column holds 32 bits. */
export const rateLimit = {
  type: ['integer', 'null'],
  minimum: 0,
  maximum: 2 ** 31 - 1,
  description: 'Allowed requests per minute; 0 for no limit, null for RATE_LIMIT_PER_MINUTE.',
} as const;

/** Also reasons that only one provider has. */
const notEnabledReasons = {
  type: ['array', 'null'],
  maxItems: 20,
  items: { type: 'string', minLength: 1, maxLength: 100 },
  description:
    'Reasons for which an evaluation of OpenTelemetry without a boolean value counts as no; null for default, disabled and error.',
} as const;

const trusted = {
  type: 'boolean',
  description:
    'Whether guards may turn features off because of what it sends to /api/client/metrics. Only for client tokens of servers, never of relays.',
} as const;

/** Of API tokens and personal tokens. */
export const lastUses = {
  seenAt: nullableTime('Last use, to within two minutes, also behind a relay; null if never used.'),
  seenIpv4At: nullableTime('Last request from an IPv4 address; null if none.'),
  seenIpv6At: nullableTime('Last request from an IPv6 address; null if none.'),
} as const;

const shape = {
  id: { type: 'string', format: 'uuid' },
  tokenName: text('What it is for.'),
  type: { type: 'string', enum: API_TOKEN_TYPES },
  environment: text('Environment of the token; * for all environments.'),
  projects: { type: 'array', items: text('A project.'), description: '* is every one.' },
  createdAt: time('When it was created.'),
  expiresAt: nullableTime('When it expires; null if never.'),
  rateLimit,
  notEnabledReasons,
  trusted,
  ...lastUses,
  createdByUserId: {
    type: ['integer', 'null'],
    description: 'Creator: -42 for an ADMIN token, -1337 for the command line, null for initial tokens.',
  },
  createdByTokenId: {
    type: ['string', 'null'],
    format: 'uuid',
    description: 'ADMIN token that created it, if any.',
  },
  successorOf: nullableUuid('Token that it replaces; null if none.'),
} as const;

const REQUIRED = [
  'id',
  'tokenName',
  'type',
  'environment',
  'projects',
  'createdAt',
  'expiresAt',
  'rateLimit',
  'notEnabledReasons',
  'trusted',
  'seenAt',
  'seenIpv4At',
  'seenIpv6At',
  'createdByUserId',
  'createdByTokenId',
  'successorOf',
] as const;

/** An API token; its secret is not stored. */
export const apiTokenSchema = {
  title: 'ApiToken',
  type: 'object',
  required: REQUIRED,
  properties: shape,
} as const;

export const apiTokensSchema = {
  title: 'ApiTokens',
  type: 'object',
  ...members({ tokens: { type: 'array', items: apiTokenSchema } }),
} as const;

export const createdApiTokenSchema = {
  title: 'CreatedApiToken',
  type: 'object',
  required: [...REQUIRED, 'secret'],
  properties: { ...shape, secret: text('The secret. It is shown only here.') },
} as const;

export const rotationSchema = {
  title: 'TokenRotation',
  type: 'object',
  properties: {
    overlapHours: {
      type: 'integer',
      minimum: 1,
      maximum: 8760,
      description: 'After so many hours the old token ends, if it does not end before; 168 if omitted.',
    },
    expiresAt: nullableTime(
      'When the new token expires; if omitted, it lasts as long as the old one was to last, but not longer than the settings allow.',
    ),
  },
} as const;

export const rotatedApiTokenSchema = {
  ...createdApiTokenSchema,
  title: 'RotatedApiToken',
  required: [...createdApiTokenSchema.required, 'predecessor'],
  properties: { ...createdApiTokenSchema.properties, predecessor: apiTokenSchema },
} as const;

export const newApiTokenSchema = {
  title: 'NewApiToken',
  type: 'object',
  required: ['tokenName', 'type'],
  properties: {
    tokenName: { ...text('What it is for.'), minLength: 1 },
    type: {
      type: 'string',
      pattern:
        '^(?:[aA][dD][mM][iI][nN]|[cC][lL][iI][eE][nN][tT]|[bB][aA][cC][kK][eE][nN][dD]|[fF][rR][oO][nN][tT][eE][nN][dD]|[sS][cC][aA][nN])$',
      description:
        'admin, client (or backend, which is the same), frontend, or scan, in any case. A scan token only scans code.',
    },
    environment: urlName('Environment of client and frontend tokens; development if omitted.'),
    projects: { type: 'array', maxItems: 100, items: { type: 'string', maxLength: 100 } },
    expiresAt: nullableTime('When it expires; never if omitted.'),
    rateLimit,
    notEnabledReasons,
    trusted,
  },
} as const;

export const exportedApiTokenSchema = {
  type: 'object',
  required: ['id', 'secret_hash', 'token_name', 'type', 'environment'],
  properties: {
    id: uuid('Never changes, so that an import recognises the record.'),
    secret_hash: text('SHA-256 of the secret, hexadecimal.', 64),
    token_name: text('What it is for.'),
    type: { type: 'string', enum: API_TOKEN_TYPES },
    environment: text('Name of an environment.', 100),
    projects: { type: 'array', items: text('Id of a project.') },
    created_at: time('Time of creation.'),
    expires_at: nullableTime('When it expires.'),
    revoked_at: nullableTime('When it was revoked.'),
    rate_limit: rateLimit,
    not_enabled_reasons: notEnabledReasons,
    is_trusted: trusted,
    user: nullableUuid('uid of the user who created it.'),
    created_by_token: nullableUuid('ADMIN token that created it, if any.'),
    successor_of: nullableUuid('Token that it replaces.'),
  },
} as const;

export type ApiTokenRecord = FromSchema<typeof apiTokenSchema>;
export type Rotation = FromSchema<typeof rotationSchema>;
export type NewApiToken = FromSchema<typeof newApiTokenSchema>;
