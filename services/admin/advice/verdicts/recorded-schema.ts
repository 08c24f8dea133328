import type { FromSchema } from 'json-schema-to-ts';
import { count, members, nullableText, nullableTime, nullableUuid, text, time } from '#base/schema';

const acknowledgementSchema = {
  title: 'VerdictAcknowledgement',
  type: ['object', 'null'],
  description: 'Why nobody is told of it; null if people are.',
  ...members({
    reason: text('The reason.', 1000),
    until: nullableTime('End of the silence; null for ever.'),
    by: text('Who has acknowledged it.'),
    at: time('When.'),
  }),
} as const;

export const recordedVerdictSchema = {
  title: 'RecordedVerdict',
  type: 'object',
  ...members({
    id: { type: 'integer' },
    subjectType: { type: 'string', enum: ['feature', 'application', 'relay', 'installation'] },
    subject: text('Name of the feature, application or relay; empty for the installation.', 1000),
    project: nullableText('Project of the feature; null if it is about none.'),
    environment: text('Environment of the verdict; empty for the installation.'),
    verdict: text('The verdict.'),
    sentence: text('Explanation in one sentence, as of the time when it appeared.', 100_000),
    since: time('Time since which the verdict held when it appeared.'),
    appearedAt: time('When it was first found, to within a minute.'),
    endedAt: nullableTime('When it was no longer found; null while it holds.'),
    acknowledgement: acknowledgementSchema,
  }),
} as const;

export const recordedVerdictsSchema = {
  title: 'RecordedVerdicts',
  type: 'object',
  ...members({
    total: count('Number of verdicts, also beyond the limit.'),
    verdicts: { type: 'array', items: recordedVerdictSchema },
  }),
} as const;

export const newAcknowledgementSchema = {
  title: 'NewVerdictAcknowledgement',
  type: 'object',
  ...members(
    {
      reason: { ...text('The reason, for others.', 1000), minLength: 1 },
      until: nullableTime('End of the silence, in the future; null or omitted for ever.'),
    },
    ['until'],
  ),
} as const;

/** Of a verdict that is acknowledged. */
export const exportedVerdictSchema = {
  type: 'object',
  required: [
    'subject_type',
    'subject',
    'environment',
    'verdict',
    'sentence',
    'since',
    'acknowledged_at',
    'acknowledgement',
  ],
  properties: {
    subject_type: recordedVerdictSchema.properties.subjectType,
    subject: text('Name of the feature, application or relay; empty for the installation.', 1000),
    environment: text('Environment of the verdict; empty for the installation.'),
    verdict: text('The verdict.'),
    sentence: text('Explanation in one sentence.', 100_000),
    since: time('Since when it held when it appeared.'),
    evaluations: { type: ['integer', 'null'] },
    appeared_at: time('When it was first found.'),
    ended_at: nullableTime('When it was no longer found.'),
    acknowledged_at: time('When it was acknowledged.'),
    acknowledged_by: text('By whom.'),
    user: nullableUuid('uid of a user.'),
    acknowledged_until: nullableTime('End of the silence; null for ever.'),
    acknowledgement: text('The reason.', 1000),
  },
} as const;

export type RecordedVerdict = FromSchema<typeof recordedVerdictSchema>;
export type NewAcknowledgement = FromSchema<typeof newAcknowledgementSchema>;
