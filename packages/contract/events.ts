import type { FromSchema } from 'json-schema-to-ts';
import { count, nullableText, text, time } from './schema.ts';

/** A record of what happened, with the keys of Unleash (docs/unleash.md#event-records). */
export const eventSchema = {
  title: 'Event',
  type: 'object',
  description: 'What happened.',
  required: [
    'id',
    'type',
    'createdBy',
    'createdAt',
    'createdByUserId',
    'data',
    'preData',
    'tags',
    'featureName',
    'project',
    'environment',
  ],
  properties: {
    id: { type: 'integer' },
    type: text('Kind of event, such as feature-archived.'),
    createdBy: text('E-mail or name of the user, or name of the token.'),
    createdAt: time('When it happened.'),
    createdByUserId: { type: ['integer', 'null'], description: '-42 for ADMIN tokens, -1337 for flagmeter.' },
    data: { type: ['object', 'null'], description: 'What came to be.' },
    preData: { type: ['object', 'null'], description: 'What was before.' },
    tags: { type: 'array', items: { type: 'object' } },
    featureName: nullableText('The feature it is about.'),
    project: nullableText('The project it is about.'),
    environment: nullableText('The environment it is about.'),
    groupType: text('What it belongs to, such as change-request; absent otherwise.'),
    groupId: text('Which one.'),
  },
} as const;

export const eventsSchema = {
  title: 'Events',
  type: 'object',
  description: 'Newest first.',
  required: ['version', 'events', 'totalEvents'],
  properties: {
    version: { type: 'integer', const: 1 },
    events: { type: 'array', items: eventSchema },
    totalEvents: count('How many there are.'),
  },
} as const;

export const featureEventsSchema = {
  ...eventsSchema,
  title: 'FeatureEvents',
  required: ['version', 'toggleName', 'events', 'totalEvents'],
  properties: {
    version: { type: 'integer', const: 1 },
    toggleName: { type: 'string' },
    events: { type: 'array', items: eventSchema },
    totalEvents: count('How many there are.'),
  },
} as const;

export type Event = FromSchema<typeof eventSchema>;
