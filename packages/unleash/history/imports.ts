import type { Postgres, PostgresClient } from '#base/postgres';
import { FlagmeterError } from '#base/runtime';
import type { SourceDay } from './plan.ts';
import type { HistoryRange } from './source/source-tables.ts';

/** A copy of Unleash's history in our Postgres, and how much of it is counted. Times are epoch milliseconds. */
export type HistoryImport = {
  readonly number: number;
  readonly from: number;
  readonly before: number;
  readonly startedAt: number;
  readonly days: readonly SourceDay[];
  readonly messages: bigint;
  /** Messages before this offset are in ClickHouse. */
  readonly storedTo: bigint;
  /** The block from `storedTo` up to here may be in ClickHouse. */
  readonly intent: { readonly to: bigint; readonly at: number } | undefined;
};

export type StagedMessage = { readonly offset: bigint; readonly value: Uint8Array };

type Row = {
  readonly number: number;
  readonly from: Date;
  readonly before: Date;
  readonly startedAt: Date;
  readonly days: readonly (Omit<SourceDay, 'yes' | 'no' | 'variants'> & {
    readonly yes: string;
    readonly no: string;
    readonly variants: string;
  })[];
  readonly messages: string;
  readonly storedTo: string;
  readonly intentTo: string | null;
  readonly intentAt: Date | null;
};

export type HistoryImports = ReturnType<typeof createHistoryImports>;

export function createHistoryImports(db: Postgres) {
  return {
    /** All imports, in order. */
    async list(): Promise<HistoryImport[]> {
      const { rows } = await db.query<Row>(
        `select
           number,
           from_time as "from",
           before_time as before,
           started_at as "startedAt",
           days,
           messages,
           stored_to as "storedTo",
           intent_to as "intentTo",
           intent_at as "intentAt"
         from history_imports
         order by number`,
      );
      return rows.map(importOf);
    },

    async readMessages(number: number, from: bigint, to: bigint): Promise<StagedMessage[]> {
      const { rows } = await db.query<{ offset: string; value: Buffer }>(
        `select "offset", value
         from history_messages
         where import = $1
           and "offset" >= $2
           and "offset" < $3
         order by "offset"`,
        [number, from.toString(), to.toString()],
      );
      return rows.map(({ offset, value }) => ({ offset: BigInt(offset), value }));
    },

    /** Records that the block from `from` up to `to` may be in ClickHouse from now on. */
    async beginBlock(number: number, from: bigint, to: bigint): Promise<void> {
      const { rowCount } = await db.query(
        `update history_imports
         set intent_to = $3, intent_at = now()
         where number = $1
           and stored_to = $2
           and intent_to is null`,
        [number, from.toString(), to.toString()],
      );
      if (rowCount !== 1) throw otherImport();
    },

    /** Records that the block from `from` up to `to` is in ClickHouse. */
    async endBlock(number: number, from: bigint, to: bigint): Promise<void> {
      const { rowCount } = await db.query(
        `update history_imports
         set stored_to = $3, intent_to = null, intent_at = null
         where number = $1
           and stored_to = $2
           and intent_to = $3`,
        [number, from.toString(), to.toString()],
      );
      if (rowCount !== 1) throw otherImport();
    },
  };
}

/** Records an import that only ClickHouse knows, because an older state of Postgres was restored. */
export async function recordLost(
  db: Postgres,
  { number, from, before, startedAt, messages }: HistoryImport,
): Promise<void> {
  await db.query(
    `insert into history_imports (number, from_time, before_time, started_at, days, messages, stored_to)
     values ($1, $2, $3, $4, '[]', $5, $5)`,
    [number, new Date(from), new Date(before), new Date(startedAt), messages.toString()],
  );
}

function otherImport(): FlagmeterError {
  return new FlagmeterError('history-imported', 'another import-unleash continued this import: run it again');
}

function importOf(row: Row): HistoryImport {
  const { number, from, before, startedAt, days, messages, storedTo, intentTo, intentAt } = row;
  return {
    number,
    from: from.getTime(),
    before: before.getTime(),
    startedAt: startedAt.getTime(),
    days: days.map((day) => ({
      ...day,
      yes: BigInt(day.yes),
      no: BigInt(day.no),
      variants: BigInt(day.variants),
    })),
    messages: BigInt(messages),
    storedTo: BigInt(storedTo),
    intent:
      intentTo === null || intentAt === null ? undefined : { to: BigInt(intentTo), at: intentAt.getTime() },
  };
}

export type NewImport = Pick<HistoryImport, 'number' | 'startedAt' | 'days'> & {
  readonly range: HistoryRange;
};

/** Writes an import and its messages. The caller's transaction makes both appear at once. */
export async function stageImport(
  client: PostgresClient,
  { number, startedAt, days, range }: NewImport,
  values: AsyncIterable<Uint8Array>,
): Promise<void> {
  await client.query(
    `insert into history_imports (number, from_time, before_time, started_at, days, messages)
     values ($1, $2, $3, $4, $5, 0)`,
    [
      number,
      new Date(range.from),
      new Date(range.before),
      new Date(startedAt),
      JSON.stringify(days.map(textOf)),
    ],
  );
  let offset = 0;
  for await (const value of values) {
    await client.query(
      `insert into history_messages (import, "offset", value)
       values ($1, $2, $3)`,
      [number, offset, value],
    );
    offset += 1;
  }
  await client.query(
    `update history_imports
     set messages = $2
     where number = $1`,
    [number, offset],
  );
}

function textOf({ yes, no, variants, ...day }: SourceDay): Row['days'][number] {
  return { ...day, yes: yes.toString(), no: no.toString(), variants: variants.toString() };
}
