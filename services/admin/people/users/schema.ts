import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, nullableTime, nullableUuid, text, time, uuid } from '#base/schema';
import { ROOT_ROLES } from '#base/tokens';

export const userSchema = {
  title: 'User',
  type: 'object',
  description: 'A person with a root role.',
  ...members({
    id: { type: 'integer' },
    username: nullableText('Unique.'),
    email: nullableText('Unique.'),
    name: nullableText('Display name.'),
    imageUrl: nullableText('Picture.', 2000),
    rootRole: { type: 'string', enum: ROOT_ROLES },
    createdAt: time('When they were created.'),
  }),
} as const;

export const usersSchema = {
  title: 'Users',
  type: 'object',
  ...members({ users: { type: 'array', items: userSchema } }),
} as const;

const permissionSchema = {
  title: 'GrantedPermission',
  type: 'object',
  ...members({
    permission: text('As the operations name it, for example UPDATE_FEATURE.'),
    project: nullableText('The project in which it holds; null if it holds in the whole installation.'),
    environments: {
      type: 'array',
      items: text('An environment.'),
      description: 'The environments that the caller may change with it; empty for every one.',
    },
  }),
} as const;

/** The caller, their permissions, and the token that identified them. */
export const callerSchema = {
  title: 'Caller',
  type: 'object',
  ...members({
    user: userSchema,
    permissions: { type: 'array', items: permissionSchema },
    authentication: {
      title: 'Authentication',
      type: 'object',
      ...members({
        type: {
          type: 'string',
          enum: ['admin-token', 'personal-token', 'session', 'none'],
          description:
            'session for a person who signed in by OpenID Connect; none while AUTH_TYPE is none: no sign-in is needed, and tokens cannot be created.',
        },
        tokenId: nullableUuid('Id of the token or session, not its secret.'),
        tokenName: nullableText('Name of the ADMIN token, or description of the personal token.'),
        expiresAt: nullableTime('When the token or session ends at the latest; null if it does not.'),
        isForeign: {
          type: 'boolean',
          description:
            'Whether somebody else made this personal token, so that it may not approve and reject.',
        },
      }),
    },
  }),
} as const;

export const newUserSchema = {
  title: 'NewUser',
  type: 'object',
  description: 'At least one of username and email is required.',
  required: ['rootRole'],
  anyOf: [{ required: ['username'] }, { required: ['email'] }],
  properties: {
    username: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      format: 'user-name',
      description: 'Latin letters, digits and signs other than @. Unique, whatever its case and accents.',
    },
    email: {
      type: 'string',
      maxLength: 251,
      format: 'address',
      description: 'Unique, whatever its case.',
    },
    name: nullableText('Display name.'),
    rootRole: { type: 'string', enum: ROOT_ROLES },
  },
} as const;

export const userUpdateSchema = {
  title: 'UserUpdate',
  type: 'object',
  ...members({ rootRole: { type: 'string', enum: ROOT_ROLES }, name: nullableText('Display name.') }, [
    'name',
  ]),
} as const;

export const exportedUserSchema = {
  type: 'object',
  required: ['uid', 'root_role'],
  properties: {
    uid: uuid('Never changes, so that an import recognises the record.'),
    username: { ...nullableText('Unique.'), format: 'user-name' },
    email: { ...nullableText('Unique.'), format: 'address' },
    name: nullableText('Display name.'),
    image_url: nullableText('Picture.', 2000),
    root_role: { type: 'string', enum: ROOT_ROLES },
    is_system: { type: 'boolean' },
    issuer: nullableText('Identity provider that signs them in.', 2000),
    subject: nullableText('How that provider identifies them.'),
    created_at: time('When they were created.'),
    deleted_at: nullableTime('When they were deleted.'),
  },
} as const;

export type User = FromSchema<typeof userSchema>;
export type CallerAnswer = FromSchema<typeof callerSchema>;
/**
 * Written by hand, because the anyOf of the schema would make a derived type a union. The guard checks that one of its members
 * is present.
 */
export type NewUser = {
  readonly username?: string;
  readonly email?: string;
  readonly name?: string | null;
  readonly rootRole: User['rootRole'];
};
export type UserUpdate = FromSchema<typeof userUpdateSchema>;
