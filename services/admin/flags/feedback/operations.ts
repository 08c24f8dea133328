import { compileGuard } from '#base/schema';
import { type Operation, withBody } from '../../http/operation.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import { type NewFeedback, feedbackListSchema, feedbackSchema, newFeedbackSchema } from './schema.ts';
import type { FeedbackStore } from './store.ts';

const EXAMPLE = {
  id: 7,
  createdAt: '2026-11-21T10:15:00.000Z',
  category: 'search',
  userType: 'enterprise',
  difficultyScore: 4,
  positive: 'It is fast.',
  areasForImprovement: null,
};

export function feedbackOperations(feedback: FeedbackStore): Operation[] {
  return [
    {
      id: 'listFeedback',
      scope: 'installation',
      room: 'lists',
      method: 'get',
      path: '/api/admin/feedback',
      tag: 'Feedback',
      summary: 'All feedback, newest first',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The feedback.',
        schema: feedbackListSchema,
        example: [EXAMPLE],
      },
      run: async () => new LongList(await feedback.list(), { head: '[', tail: () => ']' }),
    },
    {
      id: 'createFeedback',
      scope: 'installation',
      method: 'post',
      path: '/api/admin/feedback',
      tag: 'Feedback',
      summary: 'Give feedback',
      permission: 'GIVE_FEEDBACK',
      body: {
        schema: newFeedbackSchema,
        example: { category: 'search', difficultyScore: 4, positive: 'It is fast.' },
      },
      answer: { status: 201, description: 'The feedback.', schema: feedbackSchema, example: EXAMPLE },
      run: withBody(compileGuard<NewFeedback>(newFeedbackSchema), ({ caller }, body) =>
        feedback.create(body, caller),
      ),
    },
  ];
}
