import type { FromSchema } from 'json-schema-to-ts';
import { count } from './schema.ts';

/** What was received and not counted, and why. */
export const refusalsSchema = {
  title: 'Refusals',
  type: 'object',
  required: ['refusals'],
  properties: {
    refusals: {
      type: 'array',
      items: {
        title: 'Refusal',
        type: 'object',
        required: [
          'day',
          'kind',
          'reason',
          'tokenId',
          'environment',
          'appName',
          'featureName',
          'count',
          'sample',
        ],
        properties: {
          day: { type: 'string', format: 'date', description: 'Day (UTC) of the receipt.' },
          kind: { type: 'string', description: 'metric or application.' },
          reason: { type: 'string', description: 'Why it was refused.' },
          tokenId: { type: 'string', description: 'The token that sent it.' },
          environment: { type: 'string', description: 'As it was named, made displayable.' },
          appName: { type: 'string', description: 'As it was named, made displayable.' },
          featureName: {
            type: 'string',
            description: 'As it was named, made displayable; empty for an application.',
          },
          count: count('How many were refused.'),
          sample: {
            type: 'string',
            description: 'What one of them was refused for, made displayable and cut.',
          },
        },
      },
    },
  },
} as const;

export type Refusals = FromSchema<typeof refusalsSchema>;
