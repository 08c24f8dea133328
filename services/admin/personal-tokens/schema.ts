import type { FromSchema } from 'json-schema-to-ts';
import { text, time } from '#schema';

export const personalTokenSchema = {
  title: 'PersonalToken',
  type: 'object',
  required: ['id', 'description', 'createdAt', 'expiresAt'],
  properties: {
    id: { type: 'string', format: 'uuid' },
    description: text('What it is for.'),
    createdAt: time('When it was created.'),
    expiresAt: time('When it expires.'),
  },
} as const;

export const personalTokensSchema = {
  title: 'PersonalTokens',
  type: 'object',
  required: ['pats'],
  properties: { pats: { type: 'array', items: personalTokenSchema } },
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
  required: ['description', 'expiresAt'],
  properties: {
    description: { ...text('What it is for.'), minLength: 1 },
    expiresAt: time('When it expires; must be in the future.'),
  },
} as const;

export type PersonalTokenRecord = FromSchema<typeof personalTokenSchema>;
export type NewPersonalToken = FromSchema<typeof newPersonalTokenSchema>;
