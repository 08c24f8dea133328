import { type Postgres, type PostgresClient, inTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import { notFound } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { RecordedVerdict } from '../recorded-schema.ts';
import { SELECT_RECORDED } from './recorded-rows.ts';

export type Acknowledgement = {
  readonly reason: string;
  /** Undefined for ever. */
  readonly until: Date | undefined;
};

/** Silences a verdict, or tells people of it again. */
export function acknowledge(
  db: Postgres,
  id: number,
  {
    acknowledgement,
    caller,
  }: { readonly acknowledgement: Acknowledgement | undefined; readonly caller: Caller },
): Promise<RecordedVerdict> {
  return inTransaction(db, async (client) => {
    const before = await lock(client, id);
    const { rows } = await client.query<RecordedVerdict>(
      `update verdicts as v
       set
         acknowledged_at = case when $2::text is not null then now() end,
         acknowledgement = $2,
         acknowledged_until = $3,
         acknowledged_by = $4,
         acknowledged_by_user_id = $5
       where id = $1
       returning ${SELECT_RECORDED}`,
      [
        id,
        acknowledgement?.reason,
        acknowledgement?.until,
        acknowledgement && caller.name,
        acknowledgement && caller.userId,
      ],
    );
    const [after] = rows;
    if (after === undefined) throw new Error('a locked verdict is gone');
    await recordEvent(client, {
      type: acknowledgement === undefined ? 'verdict-acknowledgement-removed' : 'verdict-acknowledged',
      caller,
      environment: after.environment,
      ...(after.subjectType === 'feature' ? { featureName: after.subject } : {}),
      data: after,
      preData: before,
    });
    return after;
  });
}

async function lock(client: PostgresClient, id: number): Promise<RecordedVerdict> {
  const { rows } = await client.query<RecordedVerdict>(
    `select ${SELECT_RECORDED}
     from verdicts as v
     where id = $1
     for update`,
    [id],
  );
  const [recorded] = rows;
  if (recorded === undefined) throw notFound('There is no such verdict.');
  return recorded;
}
