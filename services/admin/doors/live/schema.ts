import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, text, time } from '#base/schema';

const OUTCOMES = ['received', 'counted', 'refused', 'duplicate', 'dead'] as const;

const rate = { type: 'number', minimum: 0 } as const;

const liveCountsSchema = {
  title: 'LiveCounts',
  type: 'object',
  ...members({
    at: time('When the numbers were read.'),
    total: {
      title: 'LiveTotal',
      type: 'object',
      description: 'Metrics in all stored blocks.',
      required: OUTCOMES,
      properties: {
        received: count('Metrics received.'),
        counted: count('Metrics counted.'),
        refused: count('Metrics refused.'),
        duplicate: count('Metrics of repeated batches.'),
        dead: count('Messages that could not be decoded.'),
      },
    },
    perSecond: {
      title: 'LiveRates',
      type: ['object', 'null'],
      description: 'Increase of these numbers per second since the previous event; null in the first one.',
      required: OUTCOMES,
      properties: { received: rate, counted: rate, refused: rate, duplicate: rate, dead: rate },
    },
    lag: {
      type: ['integer', 'null'],
      minimum: 0,
      description: 'Messages that are not counted yet; null while Kafka cannot be read.',
    },
    lagSeconds: {
      type: ['integer', 'null'],
      minimum: 0,
      description:
        'For how many seconds the oldest of these messages has waited at least: since the stream first saw it. 0 if none waits; null while Kafka cannot be read.',
    },
  }),
} as const;

const liveVerdictSchema = {
  title: 'LiveVerdict',
  type: 'object',
  description: 'A verdict that did not hold a minute ago. The list of verdicts has its sentence.',
  ...members({
    featureName: nullableText('The feature; null for a verdict on an application.'),
    appName: nullableText('The application; null for a verdict on a feature.'),
    environment: text('Environment of the verdict.'),
    verdict: text('The verdict.'),
    since: time('Time since which the verdict holds.'),
  }),
} as const;

const liveStepSchema = {
  title: 'LiveStep',
  type: 'object',
  description: 'A step of a change request that is no draft.',
  ...members({
    eventId: { type: 'integer' },
    type: text('Type of event, for example change-request-approved.'),
    createdBy: text('E-mail or name of the user, or name of the token.'),
    createdAt: time('When it happened.'),
    changeRequestId: { type: 'integer' },
    project: nullableText('Project of the change request.'),
    environment: nullableText('Environment of the change request.'),
  }),
} as const;

const livePartSchema = {
  title: 'LivePart',
  type: 'object',
  ...members({
    part: { type: 'string', enum: ['counts', 'lag', 'verdicts', 'change-requests'] },
    since: time('Since when the part can or cannot be read.'),
  }),
} as const;

export const liveSchema = {
  title: 'LiveEvents',
  type: 'string',
  description:
    'Server-sent events; the data of each is one line of JSON. counts: LiveCounts, every two seconds. verdict: LiveVerdict, looked for every minute. change-request: LiveStep. unavailable and available: LivePart, when an engine cannot be read any more, and when it can again.',
  contentMediaType: 'text/event-stream',
  contentSchema: { anyOf: [liveCountsSchema, liveVerdictSchema, liveStepSchema, livePartSchema] },
} as const;

export type LiveCounts = FromSchema<typeof liveCountsSchema>;
export type LiveVerdict = FromSchema<typeof liveVerdictSchema>;
export type LiveStep = FromSchema<typeof liveStepSchema>;
export type LivePart = FromSchema<typeof livePartSchema>['part'];
