import { randomUUID } from 'node:crypto';
import type { PostgresClient } from '#base/postgres';
import { type Caller, type Creator, hasForeignToken, hashSecret } from '#base/tokens';
import { Denial, notFound, notPermitted, notValid } from '../../../denial.ts';
import { recordEvent } from '../../../record/events/store/record-event.ts';
import type { PersonalTokenRecord } from '../schema.ts';
import { SELECT_TOKEN } from './rows.ts';

/** The maximum number of tokens of a user (docs/develop/unleash.md#tokens). */
const MAX_PERSONAL_TOKENS = 10;

export type PersonalTokenToStore = {
  readonly userId: number;
  readonly secret: string;
  readonly description: string;
  readonly expiresAt: Date;
};

export async function createToken(
  client: PostgresClient,
  token: PersonalTokenToStore,
  caller: Caller,
): Promise<PersonalTokenRecord> {
  const user = await lockUser(client, token.userId);
  const creator = creatorBy(caller);
  if (user.isSignedIn && creator?.userId !== token.userId) throw signedInByProvider();
  return insert(client, token, { caller, creator });
}

/**
 * Anyone who sends a token that somebody else made gets their own one instead, and the old one ends. If the maker took it over,
 * the user would notice, because the old token no longer works. A user with own tokens needs none, so no one can add one to them. Nor
 * does a user whom a provider signs in, who would not notice.
 */
export async function takeOver(
  client: PostgresClient,
  token: PersonalTokenToStore,
  caller: Caller,
): Promise<PersonalTokenRecord> {
  const { userId } = token;
  const user = await lockUser(client, userId);
  if (!hasForeignToken(caller)) throw notValid('The token of this request is your own already.');
  if (user.isSignedIn) throw signedInByProvider();
  const own = await client.query(
    `select
     from personal_access_tokens
     where user_id = $1
       and created_by = $1
       and revoked_at is null
       and expires_at > now()
     limit 1`,
    [userId],
  );
  if (own.rowCount !== 0)
    throw notPermitted(
      'You have your own token: create further ones with it. If it is lost, an Admin can delete it.',
    );
  const replaced = await client.query<PersonalTokenRecord>(
    `update personal_access_tokens as t
     set revoked_at = now()
     where id = $1
       and user_id = $2
       and revoked_at is null
     returning ${SELECT_TOKEN}`,
    [caller.token?.id, userId],
  );
  const [before] = replaced.rows;
  if (before === undefined) throw new Denial('not authenticated', 'The token is not valid.');
  await recordEvent(client, { type: 'pat-deleted', caller, preData: { ...before, userId } });
  return insert(client, token, { caller, creator: { userId, tokenId: undefined } });
}

/** A token that was made by another token counts as made by the maker of that one, if it was not the user. */
function creatorBy(caller: Caller): Creator | undefined {
  return hasForeignToken(caller) ? caller.token?.createdBy : caller;
}

/** Two concurrent requests cannot exceed the limit, because the row of the user is locked. */
async function lockUser(client: PostgresClient, userId: number): Promise<{ readonly isSignedIn: boolean }> {
  const { rows } = await client.query<{ isSignedIn: boolean }>(
    `select issuer is not null as "isSignedIn"
     from users
     where id = $1
       and deleted_at is null
       and not is_system
     for update`,
    [userId],
  );
  const [user] = rows;
  if (user === undefined) throw noSuchUser();
  return user;
}

export function noSuchUser(): Denial {
  return notFound('There is no such user.');
}

function signedInByProvider(): Denial {
  return new Denial(
    'OwnedByProvider',
    'The identity provider signs this user in, so only they can make their tokens, in their own session.',
  );
}

type By = { readonly caller: Caller; readonly creator: Creator | undefined };

async function insert(
  client: PostgresClient,
  { userId, secret, description, expiresAt }: PersonalTokenToStore,
  { caller, creator }: By,
): Promise<PersonalTokenRecord> {
  const { rows } = await client.query<PersonalTokenRecord>(
    `insert into personal_access_tokens as t (
       id, user_id, secret_hash, description, expires_at, created_by, created_by_token
     )
     select $1, $2, $3, $4, $5, $7, $8::uuid
     where (select count(*) from personal_access_tokens where user_id = $2 and revoked_at is null) < $6
     returning ${SELECT_TOKEN}`,
    [
      randomUUID(),
      userId,
      hashSecret(secret),
      description,
      expiresAt,
      MAX_PERSONAL_TOKENS,
      creator?.userId,
      creator?.tokenId,
    ],
  );
  const [record] = rows;
  if (record === undefined) throw notValid(`A user may have at most ${MAX_PERSONAL_TOKENS} tokens.`);
  await recordEvent(client, { type: 'pat-created', caller, data: { ...record, userId } });
  return record;
}
