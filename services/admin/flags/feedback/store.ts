import { type Pages, inTransaction, mapPages, pageOf, readPages } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { recordDone } from '../../record/audit/store/record-entry.ts';
import type { AdminPools } from '../../pools.ts';
import type { Feedback, NewFeedback } from './schema.ts';

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

export type FeedbackStore = ReturnType<typeof createFeedback>;

export function createFeedback({ db, lists }: AdminPools) {
  return {
    /** Lists the newest first. */
    async list(): Promise<Pages<Feedback>> {
      const pages = await readPages<PositionedRow>(async (last) => {
        const { rows } = await lists.query<PositionedRow>(PAGE, [
          last?.position ?? 'infinity',
          last?.id ?? 0,
        ]);
        return rows;
      });
      return mapPages(pages, toFeedback);
    },

    /** Writes no event, because there is no event type for feedback (docs/develop/unleash.md#events-and-change-requests). */
    async create(feedback: NewFeedback, caller: Caller): Promise<Feedback | undefined> {
      const { category, userType, difficultyScore, positive, areasForImprovement } = feedback;
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
    },
  };
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
