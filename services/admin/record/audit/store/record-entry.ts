import { type Postgres, type PostgresClient, atEndOfTransaction } from '#base/postgres';
import type { Caller } from '#base/tokens';
import type { OUTCOMES } from '../schema.ts';

/** `failed`: whether anything was changed is unknown, or a fault of flagmeter. */
export type Outcome = (typeof OUTCOMES)[number];

/** What the audit says of one change, refusal or sign-in. No member contains a secret. */
export type NewEntry = {
  readonly outcome: Outcome;
  /** The id of an operation, a command, or `job` for flagmeter itself. */
  readonly operation: string;
  /** A type of event, or what has no event. */
  readonly event?: string | undefined;
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly userId?: number | undefined;
  readonly user?: string | undefined;
  /** The kind of token or session that was sent; of a refused one also its state, if that is not valid. */
  readonly credential?: string | undefined;
  readonly credentialId?: string | undefined;
  readonly address?: string | undefined;
  /** Whether nobody knows who it was. Such an entry is refused or failed, and kept for a week. */
  readonly isStranger?: true | undefined;
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly project?: string | undefined;
  readonly environment?: string | undefined;
  readonly featureName?: string | undefined;
  readonly before?: object | undefined;
  readonly after?: object | undefined;
};

/** What an actor did, besides who it is and what it asked for. */
export type Done = Pick<NewEntry, 'event' | 'project' | 'environment' | 'featureName' | 'before' | 'after'>;

/** Records a change in the transaction of `client`, at its end. */
export function recordDone(client: PostgresClient, caller: Caller, done: Done): void {
  atEndOfTransaction(client, insertTexts, textOf({ outcome: 'done', ...whoIs(caller), ...done }));
}

/** Records something that is no part of a transaction. */
export function recordEntry(db: Postgres, entry: NewEntry): Promise<void> {
  return insertTexts(db, [textOf(entry)]);
}

export function whoIs({ userId, name, token, request }: Caller) {
  return {
    operation: request?.operation ?? 'job',
    userId,
    user: name,
    credential: token?.type,
    credentialId: token?.id,
    address: request?.address,
    parameters: request?.parameters,
  };
}

async function insertTexts(db: Postgres | PostgresClient, texts: readonly string[]): Promise<void> {
  await db.query(
    `insert into public.audit_entries (content)
     select text::json
     from unnest($1::text[]) with ordinality as entries (text, place)
     order by place`,
    [texts],
  );
}

/** Postgres reads no member of a JSON text that holds one of these characters. */
const UNREADABLE = /[\0\p{Cs}]/gu;

function textOf(entry: NewEntry): string {
  return JSON.stringify(entry, (_key, value: unknown) =>
    typeof value === 'string' ? value.replaceAll(UNREADABLE, '\uFFFD') : value,
  );
}
