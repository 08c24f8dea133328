import type { DeadLetterPlace } from '#core/counting';
import type { Postgres } from '#base/postgres';

/**
 * The replay of a dead letter whose INSERT has an unknown outcome. The record is written before the INSERT and deleted after
 * it. If a replay is interrupted, its INSERT may be half stored, and only the same INSERT can complete it.
 */
export type ReplayInDoubt = DeadLetterPlace & {
  readonly isDuplicate: boolean;
  readonly startedAt: Date;
};

export function createReplaysInDoubt(db: Postgres) {
  return {
    async list(): Promise<ReplayInDoubt[]> {
      const { rows } = await db.query<Omit<ReplayInDoubt, 'offset'> & { offset: string }>(
        `select topic, epoch, partition, "offset", is_duplicate as "isDuplicate", started_at as "startedAt"
         from dead_letter_replays
         order by topic, epoch, partition, "offset"`,
      );
      return rows.map((row) => ({ ...row, offset: BigInt(row.offset) }));
    },

    async begin(place: DeadLetterPlace, isDuplicate: boolean): Promise<void> {
      await db.query(
        `insert into dead_letter_replays (topic, epoch, partition, "offset", is_duplicate)
         values ($1, $2, $3, $4, $5)`,
        [...keyOf(place), isDuplicate],
      );
    },

    async end(place: DeadLetterPlace): Promise<void> {
      await db.query(
        `delete from dead_letter_replays
         where topic = $1
           and epoch = $2
           and partition = $3
           and "offset" = $4`,
        keyOf(place),
      );
    },
  };
}

function keyOf({ topic, epoch, partition, offset }: DeadLetterPlace): unknown[] {
  return [topic, epoch, partition, offset.toString()];
}
