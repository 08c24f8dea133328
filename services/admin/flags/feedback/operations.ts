import {
  type Pages,
  type Postgres,
  inTransaction,
  mapPages,
  onlyMembers,
  pageOf,
  readPages,
  selectMembers,
} from '#base/postgres';
import { compileGuard } from '#base/schema';
import type { Caller } from '#base/tokens';
import { type Operation, withBody } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { recordDone } from '../../record/audit/store/record-entry.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import {
  type Feedback,
  type NewFeedback,
  feedbackListSchema,
  feedbackSchema,
  newFeedbackSchema,
} from './schema.ts';

const EXAMPLE = {
  id: 7,
  createdAt: '2026-11-21T10:15:00.000Z',
  category: 'search',
  userType: 'enterprise',
  difficultyScore: 4,
  positive: 'It is fast.',
  areasForImprovement: null,
} satisfies Feedback;

export function feedbackOperations({ db, lists }: AdminPools): Operation[] {
  return [
    {
      id: 'listFeedback',
      scope: 'installation',
      queue: 'lists',
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
      run: async () => new LongList(await listFeedback(lists), { head: '[', tail: () => ']' }),
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
        create(db, body, caller),
      ),
    },
  ];
}

/** `position` is the time of the feedback in microseconds, because the record has only milliseconds. */
type ListedRow = Feedback & { position: string; size_bytes: number };

const SELECT_FEEDBACK = selectMembers(feedbackSchema);

const PAGE = pageOf({
  from: `
    select
      ${SELECT_FEEDBACK}, created_at, created_at::text as position,
      coalesce(octet_length(positive), 0) + coalesce(octet_length(areas_for_improvement), 0) as size_bytes
    from feedback
    where (created_at, id) < ($1::timestamptz, $2::int)`,
  order: 'created_at desc, id desc',
});

/** The newest first. */
export async function listFeedback(lists: Postgres): Promise<Pages<Feedback>> {
  const pages = await readPages<ListedRow>(async (last) => {
    const { rows } = await lists.query<ListedRow>(PAGE, [last?.position ?? 'infinity', last?.id ?? 0]);
    return rows;
  });
  return mapPages(pages, (row) => onlyMembers(feedbackSchema, row));
}

/** Writes no event, because there is no event type for feedback (docs/develop/unleash.md#events-and-change-requests). */
function create(
  db: Postgres,
  { category, userType, difficultyScore, positive, areasForImprovement }: NewFeedback,
  caller: Caller,
): Promise<Feedback | undefined> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<Feedback>(
      `insert into feedback (category, user_type, difficulty_score, positive, areas_for_improvement)
       values ($1, $2, $3, $4, $5)
       returning ${SELECT_FEEDBACK}`,
      [category, userType, difficultyScore, positive, areasForImprovement],
    );
    const [created] = rows;
    recordDone(client, caller, { event: 'feedback-created', after: created });
    return created;
  });
}
