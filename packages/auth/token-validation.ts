import type { FromSchema } from 'json-schema-to-ts';

/** More than an Edge knows, and few enough for Postgres: each unknown one costs a look-up. */
const MAX_TOKENS = 500;

/** The request that an Edge sends at startup and every hour (docs/unleash.md#token-validation). */
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

/** Those of the secrets that are valid, with their scopes. */
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
