import { nullableText, nullableTime, text, time, urlName } from '#schema';
import { rateLimit } from '../tokens/schema.ts';

const uid = {
  type: 'string',
  format: 'uuid',
  description: 'Never changes, so that a record imported before is recognised.',
} as const;
const listOf = <S extends object>(required: readonly string[], properties: S) =>
  ({ type: 'array', items: { type: 'object', required, properties } }) as const;
const json = { description: 'Any JSON.' } as const;
const project = text('Id of a project.');
const environment = text('Name of an environment.', 100);
const user = { ...uid, description: 'uid of a user.' } as const;
const nullableUid = { type: ['string', 'null'], format: 'uuid' } as const;
const counted = { type: 'integer' } as const;
const flag = { type: 'boolean' } as const;

const people = {
  users: {
    type: 'array',
    items: {
      type: 'object',
      required: ['uid', 'root_role'],
      properties: {
        uid,
        username: nullableText('Unique.'),
        email: nullableText('Unique.'),
        name: nullableText('Display name.'),
        image_url: nullableText('Picture.', 2000),
        root_role: { type: 'string', enum: ['Admin', 'Editor', 'Viewer'] },
        is_system: flag,
        created_at: time('When they were created.'),
        deleted_at: nullableTime('When they were deleted.'),
      },
    },
  },
  personal_access_tokens: listOf(['id', 'user', 'secret_hash', 'description', 'expires_at'], {
    id: uid,
    user,
    secret_hash: text('SHA-256 of the secret, hexadecimal.', 64),
    description: text('What it is for.'),
    created_at: time('When.'),
    expires_at: time('When it expires.'),
  }),
  api_tokens: listOf(['id', 'secret_hash', 'token_name', 'type', 'environment'], {
    id: uid,
    secret_hash: text('SHA-256 of the secret, hexadecimal.', 64),
    token_name: text('What it is for.'),
    type: { type: 'string', enum: ['admin', 'client', 'frontend'] },
    environment,
    projects: { type: 'array', items: project },
    created_at: time('When.'),
    expires_at: nullableTime('When it expires.'),
    revoked_at: nullableTime('When it was revoked.'),
    rate_limit: rateLimit,
    user: nullableUid,
    created_by_token: nullableUid,
  }),
} as const;

const flags = {
  projects: listOf(['id', 'name'], {
    id: urlName('Identifier.'),
    name: text('Display name.'),
    description: nullableText('What it is for.', 10_000),
    created_at: time('When.'),
  }),
  environments: listOf(['name', 'type'], {
    name: environment,
    type: text('For example production.'),
    enabled: flag,
    sort_order: counted,
  }),
  features: listOf(['name', 'project'], {
    name: { ...text('Name.'), minLength: 1 },
    project,
    type: text('For example release.'),
    description: nullableText('What it is for.', 10_000),
    stale: flag,
    impression_data: flag,
    created_at: time('When.'),
    archived_at: nullableTime('When it was archived.'),
  }),
  feature_environments: listOf(['feature_name', 'environment', 'enabled'], {
    feature_name: text('A feature.'),
    environment,
    enabled: flag,
  }),
  favorite_features: listOf(['feature', 'user'], {
    feature: text('A feature.'),
    user,
    token_id: nullableUid,
    created_at: time('When.'),
  }),
  strategies: listOf(['name', 'parameters'], {
    name: text('Name.'),
    title: nullableText('Title.'),
    display_name: nullableText('Display name.'),
    description: nullableText('What it does.', 10_000),
    parameters: { type: 'array' },
    deprecated: flag,
    sort_order: counted,
  }),
  feedback: listOf(['uid', 'category'], {
    uid,
    category: text('The part of the product.'),
    user_type: nullableText('Kind of user.'),
    difficulty_score: { type: ['integer', 'null'] },
    positive: nullableText('Favourite features and projects.', 100_000),
    areas_for_improvement: nullableText('What the user would improve.', 100_000),
    created_at: time('When.'),
  }),
} as const;

const vote = listOf(['user', 'created_at'], { user, token_id: nullableUid, created_at: time('When.') });

const requests = {
  change_request_settings: listOf(['project', 'environment', 'required_approvals'], {
    project,
    environment,
    required_approvals: { type: 'integer', minimum: 1, maximum: 10 },
  }),
  change_requests: listOf(['uid', 'project', 'environment', 'state', 'user', 'changes'], {
    uid,
    project,
    environment,
    title: nullableText('What it is about.'),
    state: {
      type: 'string',
      enum: ['Draft', 'In review', 'Approved', 'Scheduled', 'Applied', 'Cancelled', 'Rejected'],
    },
    state_timestamps: { type: 'object' },
    min_approvals: { type: 'integer', minimum: 1, maximum: 10 },
    user,
    token_id: nullableUid,
    created_at: time('When.'),
    changes: listOf(['action', 'user'], {
      feature: nullableText('A feature; null for a change of a segment.'),
      action: text('Action to apply.'),
      payload: json,
      user,
      created_at: time('When.'),
    }),
    approvals: vote,
    rejections: vote,
    comments: listOf(['text', 'user'], {
      text: text('What was said.', 1000),
      user,
      created_at: time('When.'),
    }),
    schedule: {
      type: ['object', 'null'],
      required: ['scheduled_at', 'user'],
      properties: {
        scheduled_at: time('Time at which to apply it.'),
        user,
        status: { type: 'string', enum: ['pending', 'failed', 'suspended'] },
        reason: nullableText('Why it failed or was suspended.', 10_000),
      },
    },
  }),
  events: listOf(['uid', 'type', 'created_by', 'created_at'], {
    uid,
    created_at: time('When.'),
    type: text('Type of event.'),
    created_by: text('Who did it.'),
    user: nullableUid,
    data: json,
    pre_data: json,
    tags: { type: 'array' },
    project: nullableText('Project.'),
    environment: nullableText('Environment.'),
    feature_name: nullableText('Feature.'),
    group_type: nullableText('Type of the resource it belongs to.'),
    group_id: nullableText('Which one.'),
  }),
} as const;

/** Everything of the admin service as one document; every part may be left out. */
export const exchangeSchema = {
  type: 'object',
  required: ['format', 'version'],
  properties: {
    format: { type: 'string', const: 'flagmeter' },
    version: { type: 'integer', const: 1 },
    ...people,
    ...flags,
    ...requests,
  },
} as const;

/** Parts in an order in which each only refers to earlier ones. */
export const EXCHANGE_PARTS = [
  'users',
  'api_tokens',
  'personal_access_tokens',
  'projects',
  'environments',
  'features',
  'feature_environments',
  'favorite_features',
  'strategies',
  'feedback',
  'change_request_settings',
  'change_requests',
  'events',
] as const;

export type ExchangePart = (typeof EXCHANGE_PARTS)[number];
/** Rows go to Postgres as JSON: of their types nothing is needed, and deriving them takes tsc seconds. */
export type Exchange = { readonly format: 'flagmeter'; readonly version: 1 } & {
  readonly [part in ExchangePart]?: readonly object[];
};
