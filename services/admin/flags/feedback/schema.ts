import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, text, time, uuid } from '#base/schema';

const USER_TYPES = ['pro', 'oss', 'enterprise', 'unknown'];

/** One feedback (docs/use/senders/contract.md#change-requests-feedback-strategies-and-events); it always has all seven keys. */
export const feedbackSchema = {
  title: 'Feedback',
  type: 'object',
  description: 'Feedback of a user about a part of the product.',
  ...members({
    id: { type: 'number' },
    createdAt: time('When it was given.'),
    category: text('Part of the product, for example search or insights.'),
    userType: nullableText(`One of ${USER_TYPES.join(', ')}, or null.`),
    difficultyScore: { type: ['number', 'null'], description: '1 is hard; null when only text was given.' },
    positive: nullableText('What the user liked.', 100_000),
    areasForImprovement: nullableText('What the user would improve.', 100_000),
  }),
} as const;

export const feedbackListSchema = {
  title: 'FeedbackList',
  type: 'array',
  description: 'Newest first.',
  items: feedbackSchema,
} as const;

export const newFeedbackSchema = {
  title: 'NewFeedback',
  type: 'object',
  required: ['category'],
  properties: {
    category: { ...text('The part of the product.'), minLength: 1 },
    userType: { enum: ['pro', 'oss', 'enterprise', 'unknown', null] },
    difficultyScore: { type: ['integer', 'null'], minimum: 1, maximum: 7 },
    positive: nullableText('What the user liked.', 10_000),
    areasForImprovement: nullableText('What the user would improve.', 10_000),
  },
} as const;

export const exportedFeedbackSchema = {
  type: 'object',
  required: ['uid', 'category'],
  properties: {
    uid: uuid('Never changes, so that an import recognises the record.'),
    category: text('The part of the product.'),
    user_type: nullableText('Kind of user.'),
    difficulty_score: { type: ['integer', 'null'] },
    positive: nullableText('Favourite features and projects.', 100_000),
    areas_for_improvement: nullableText('What the user would improve.', 100_000),
    created_at: time('When.'),
  },
} as const;

export type Feedback = FromSchema<typeof feedbackSchema>;
export type NewFeedback = FromSchema<typeof newFeedbackSchema>;
