import type { FromSchema } from 'json-schema-to-ts';

/** An Edge knows fewer tokens than this. Each unknown token costs a look-up in Postgres. */
const MAX_TOKENS = 500;

/** The request that Edge sends at startup and every hour (docs/develop/unleash.md#tokens). */
export const tokenValidationSchema = {
  title: 'TokenValidation',
  type: 'object',
  required: ['tokens'],
  properties: {
    tokens: {
      type: 'array',
      maxItems: MAX_TOKENS,
      items: { type: 'string' },
      description: 'Secrets of tokens.',
    },
  },
} as const;

/** The valid secrets of the request, with their scopes. */
export const validTokensSchema = {
  title: 'ValidTokens',
  type: 'object',
  required: ['tokens'],
  properties: {
    tokens: {
      type: 'array',
      items: {
        title: 'ValidToken',
        type: 'object',
        required: ['token', 'type', 'projects', 'environment'],
        properties: {
          token: { type: 'string', description: 'The secret, as the caller sent it.' },
          type: { type: 'string', enum: ['admin', 'client', 'frontend'] },
          projects: { type: 'array', items: { type: 'string' }, description: '* is every one.' },
          environment: { type: 'string', description: '* is every one.' },
        },
      },
    },
  },
} as const;

export type TokenValidation = FromSchema<typeof tokenValidationSchema>;
export type ValidTokens = FromSchema<typeof validTokensSchema>;
