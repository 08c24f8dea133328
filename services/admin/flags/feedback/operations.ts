import { type Pages, type Postgres, inTransaction, mapPages, pageOf, readPages } from '#base/postgres';
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
};

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

type FeedbackRow = {
  id: number;
  created_at: Date;
  category: string;
  user_type: string | null;
  difficulty_score: number | null;
  positive: string | null;
  areas_for_improvement: string | null;
};

/** `position` is the time of the feedback in microseconds, because a Date holds only milliseconds. */
type PositionedRow = FeedbackRow & { position: string; size_bytes: number };

const COLUMNS = 'id, created_at, category, user_type, difficulty_score, positive, areas_for_improvement';

const PAGE = pageOf({
  from: `
    select
      ${COLUMNS}, created_at::text as position,
      coalesce(octet_length(positive), 0) + coalesce(octet_length(areas_for_improvement), 0) as size_bytes
    from feedback
    where (created_at, id) < ($1::timestamptz, $2::int)`,
  order: 'created_at desc, id desc',
});

/** The newest first. */
export async function listFeedback(lists: Postgres): Promise<Pages<Feedback>> {
  const pages = await readPages<PositionedRow>(async (last) => {
    const { rows } = await lists.query<PositionedRow>(PAGE, [last?.position ?? 'infinity', last?.id ?? 0]);
    return rows;
  });
  return mapPages(pages, toFeedback);
}

/** Writes no event, because there is no event type for feedback (docs/develop/unleash.md#events-and-change-requests). */
function create(
  db: Postgres,
  { category, userType, difficultyScore, positive, areasForImprovement }: NewFeedback,
  caller: Caller,
): Promise<Feedback | undefined> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<FeedbackRow>(
      `insert into feedback (category, user_type, difficulty_score, positive, areas_for_improvement)
       values ($1, $2, $3, $4, $5)
       returning ${COLUMNS}`,
      [category, userType, difficultyScore, positive, areasForImprovement],
    );
    const created = rows.map(toFeedback)[0];
    recordDone(client, caller, { event: 'feedback-created', after: created });
    return created;
  });
}

function toFeedback(row: FeedbackRow): Feedback {
  return {
    id: row.id,
    createdAt: row.created_at.toISOString(),
    category: row.category,
    userType: row.user_type,
    difficultyScore: row.difficulty_score,
    positive: row.positive,
    areasForImprovement: row.areas_for_improvement,
  };
}
