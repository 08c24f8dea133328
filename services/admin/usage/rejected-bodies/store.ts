import { type Postgres, isoTime } from '#base/postgres';
import type { RejectedBodies } from './schema.ts';

/** Absent filters match everything. */
export type RejectedBodiesFilter = {
  readonly tokenId: string | undefined;
  readonly problem: string | undefined;
  readonly limit: number;
};

export type RejectedBodiesStore = ReturnType<typeof createRejectedBodies>;

/** Reads which bodies ingest did not accept. */
export function createRejectedBodies(db: Postgres) {
  return {
    /** Lists the latest days first, and within a day the most frequent first. */
    async list({ tokenId, problem, limit }: RejectedBodiesFilter): Promise<RejectedBodies> {
      type Row = { body: RejectedBodies['rejectedBodies'][number]; total: number; sum: string };
      const { rows } = await db.query<Row>(LIST, [tokenId, problem, limit]);
      const { total = 0, sum = 0 } = rows[0] ?? {};
      return { total, sum: Number(sum), rejectedBodies: rows.map(({ body }) => body) };
    },
  };
}

const LIST = `
  select
    jsonb_build_object(
      'day', day,
      'tokenId', nullif(token_id, ''),
      'problem', problem,
      'count', bodies,
      'firstAt', ${isoTime('first_at')},
      'lastAt', ${isoTime('last_at')},
      'status', status,
      'path', path,
      'place', place,
      'message', message,
      'appName', nullif(app_name, ''),
      'sdk', nullif(sdk, '')
    ) as body,
    (count(*) over ())::integer as total,
    sum(bodies) over () as sum
  from rejected_bodies
  where ($1::text is null or token_id = $1)
    and ($2::text is null or problem = $2)
    and day >= (now() at time zone 'UTC')::date - 30
  order by day desc, bodies desc, token_id, problem
  limit $3`;

/** Forgets what is older than refusals. A process that has not written for so long repeats no write. */
export async function pruneRejectedBodies(db: Postgres): Promise<void> {
  await db.query("delete from rejected_bodies where day < (now() at time zone 'UTC')::date - 30");
  await db.query("delete from rejected_body_writers where written_at < now() - interval '30 days'");
}
