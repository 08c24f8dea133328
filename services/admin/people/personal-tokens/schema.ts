import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableTime, nullableUuid, text, time, uuid } from '#base/schema';
import { lastUses } from '../tokens/schema.ts';

export const personalTokenSchema = {
  title: 'PersonalToken',
  type: 'object',
  ...members({
    id: { type: 'string', format: 'uuid' },
    description: text('What it is for.'),
    createdAt: time('When it was created.'),
    expiresAt: time('When it expires.'),
    ...lastUses,
    createdByUserId: {
      type: ['integer', 'null'],
      description:
        'Who made it: -42 for an ADMIN token, null if unknown. Only a token that its user made may approve and reject.',
    },
    createdByTokenId: nullableUuid('ADMIN token that made it, if any.'),
  }),
} as const;

export const personalTokensSchema = {
  title: 'PersonalTokens',
  type: 'object',
  ...members({ pats: { type: 'array', items: personalTokenSchema } }),
} as const;

export const createdPersonalTokenSchema = {
  title: 'CreatedPersonalToken',
  type: 'object',
  required: [...personalTokenSchema.required, 'secret'],
  properties: { ...personalTokenSchema.properties, secret: text('The secret. It is shown only here.') },
} as const;

export const newPersonalTokenSchema = {
  title: 'NewPersonalToken',
  type: 'object',
  ...members({
    description: { ...text('What it is for.'), minLength: 1 },
    expiresAt: time('When it expires; must be in the future.'),
  }),
} as const;

export const exportedPersonalTokenSchema = {
  type: 'object',
  ...members(
    {
      id: uuid('Never changes, so that an import recognises the record.'),
      user: uuid('uid of a user.'),
      secret_hash: text('SHA-256 of the secret, hexadecimal.', 64),
      description: text('What it is for.'),
      created_at: time('When.'),
      expires_at: time('When it expires.'),
      revoked_at: nullableTime('When it was deleted.'),
      creator: nullableUuid('uid of the user who made it.'),
      created_by_token: nullableUuid('ADMIN token that made it, if any.'),
    },
    ['created_at', 'revoked_at', 'creator', 'created_by_token'],
  ),
} as const;

export type PersonalTokenRecord = FromSchema<typeof personalTokenSchema>;
export type NewPersonalToken = FromSchema<typeof newPersonalTokenSchema>;
