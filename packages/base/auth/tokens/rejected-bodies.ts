import type { Postgres } from '#base/postgres';

/** The first rejected body of its kind. */
export type RejectedBody = {
  readonly status: number;
  /** The route, never what the sender wrote. */
  readonly path: string;
  /** Where in the body; '' if that is unknown, or if it concerns the whole body. */
  readonly place: string;
  readonly message: string;
  /** As headers say it, short and printable; '' without the header. */
  readonly appName: string;
  readonly sdk: string;
};

/** Rejected bodies of one token, problem and day (UTC). Times are epoch milliseconds. */
export type RejectedBodySum = {
  /** '' without a valid token. */
  readonly tokenId: string;
  readonly problem: string;
  readonly day: string;
  readonly count: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly example: RejectedBody;
};

export type RejectedBodiesWrite = {
  /** The process that writes, and the number of this write. */
  readonly writer: string;
  readonly number: number;
  readonly sums: readonly RejectedBodySum[];
};

/**
 * Adds the sums to those of all processes, once: if the outcome of an earlier try of the same write is unknown, a second one changes
 * nothing. The rows are in the order of their keys, so that two processes cannot deadlock.
 */
export async function writeRejectedBodies(
  db: Postgres,
  { writer, number, sums }: RejectedBodiesWrite,
): Promise<void> {
  await db.query(
    `with first_try as (
       insert into rejected_body_writers as w (writer, writes, written_at)
       values ($1, $2, now())
       on conflict (writer) do update
       set writes = excluded.writes, written_at = excluded.written_at
       where w.writes < excluded.writes
       returning writer
     )
     insert into rejected_bodies as known
       (day, token_id, problem, status, path, place, message, app_name, sdk, bodies, first_at, last_at)
     select day, token_id, problem, status, path, place, message, app_name, sdk, bodies, first_at, last_at
     from first_try
     cross join jsonb_to_recordset($3) as sums (
       day date, token_id text, problem text, status smallint, path text, place text, message text, app_name text, sdk text,
       bodies bigint, first_at timestamptz, last_at timestamptz
     )
     order by day, token_id, problem
     on conflict (day, token_id, problem) do update
     set status = excluded.status, path = excluded.path, place = excluded.place, message = excluded.message,
       app_name = excluded.app_name, sdk = excluded.sdk,
       bodies = known.bodies + excluded.bodies,
       first_at = least(known.first_at, excluded.first_at),
       last_at = greatest(known.last_at, excluded.last_at)`,
    [writer, number, JSON.stringify(sums.map(rowOf))],
  );
}

function rowOf({ day, tokenId, problem, count, firstAt, lastAt, example }: RejectedBodySum) {
  const { appName, ...rest } = example;
  return {
    ...rest,
    day,
    problem,
    token_id: tokenId,
    app_name: appName,
    bodies: count,
    first_at: new Date(firstAt),
    last_at: new Date(lastAt),
  };
}
