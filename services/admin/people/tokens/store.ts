import { type StoredToken, createTokens, endToken, lockToken } from '#base/auth';
import { type PostgresClient, inTransaction, isDuplicate } from '#base/postgres';
import { type Caller, type NewToken, type Visible, problemOfEnd } from '#base/tokens';
import { Denial, notFound, notValid } from '../../denial.ts';
import { recordEvent } from '../../record/events/store/record-event.ts';
import type { AdminPools } from '../../pools.ts';
import { toRecord } from './record.ts';
import { type RotationTerms, isValid, successorOf } from './rules.ts';
import type { ApiTokenRecord } from './schema.ts';

export type ApiTokens = ReturnType<typeof createApiTokens>;

export type Rotation = {
  readonly successor: ApiTokenRecord;
  readonly secret: string;
  /** With its new end. */
  readonly predecessor: ApiTokenRecord;
};

/** API tokens for administrators; each change writes its event. */
export function createApiTokens({ db, lists }: AdminPools) {
  return {
    /** The tokens whose projects are all visible. Only those that were neither created nor used since a time, if it is given. */
    async list(visible: Visible, unusedSince?: Date): Promise<ApiTokenRecord[]> {
      const tokens = await createTokens(lists).list(unusedSince);
      const isListed = ({ revokedAt, projects }: StoredToken) =>
        revokedAt === undefined &&
        (visible === undefined ||
          (projects.length > 0 && projects.every((project) => visible.includes(project))));
      return tokens.filter(isListed).map(toRecord);
    },

    /** Throws if one of the names in a token does not exist. */
    async checkNames({ environment, projects }: NewToken): Promise<void> {
      const { rows } = await db.query<{ has_environment: boolean; has_projects: boolean }>(
        `select
           $1 = '*' or exists (select from environments where name = $1) as has_environment,
           (select count(*) from projects where id = any ($2::text[])) = cardinality($2::text[]) as has_projects`,
        [environment, projects],
      );
      if (rows[0]?.has_environment !== true) throw notValid('The token names an unknown environment.');
      if (!rows[0].has_projects) throw notValid('The token names an unknown project.');
    },

    create: (token: NewToken, caller: Caller): Promise<ApiTokenRecord> =>
      inTransaction(db, (client) => store(client, token, { caller })),

    /** Creates a token with the rights of another one, which then ends soon. */
    rotate: (id: string, terms: RotationTerms, caller: Caller): Promise<Rotation> =>
      inTransaction(db, (client) => rotate(client, id, { terms, caller })),

    /** Revokes a token and returns its id. */
    revoke: (id: string, caller: Caller): Promise<string> =>
      inTransaction(db, async (client) => {
        const revoked = await createTokens(client).revoke(id);
        if (revoked === undefined) throw noSuchToken();
        await recordRevocation(client, revoked, caller);
        return revoked.id;
      }),
  };
}

type By = { readonly caller: Caller; readonly successorOf?: string };

async function store(
  client: PostgresClient,
  token: NewToken,
  { caller, ...provenance }: By,
): Promise<ApiTokenRecord> {
  const creation = createTokens(client).create(token, { creator: caller, ...provenance });
  const stored = await creation.catch(rejectNameOfPerson);
  if (stored === undefined) throw new Error('a fresh secret was known already');
  const record = toRecord(stored);
  const { environment } = record;
  await recordEvent(client, { type: 'api-token-created', caller, environment, data: record });
  return record;
}

/** The trigger api_tokens_named_apart compares the names, so that no way in can forget it. */
function rejectNameOfPerson(error: unknown): never {
  if (!isDuplicate(error)) throw error;
  throw notValid(
    'Everything that this token does shows its name, which must have no @, and not be the name of a user.',
  );
}

/** The lock on the old token lets one of two requests at the same time replace it. */
async function rotate(
  client: PostgresClient,
  id: string,
  { terms, caller }: { readonly terms: RotationTerms; readonly caller: Caller },
): Promise<Rotation> {
  const now = Date.now();
  const locked = await lockToken(client, id);
  if (locked === undefined) throw noSuchToken();
  const { token, successor: earlier } = locked;
  if (!isValid(token, now)) throw notValid('The token has expired: create a new one.');
  if (earlier !== undefined && isValid(earlier, now))
    throw new Denial(
      'TokenReplaced',
      // The answer to the request that replaced it may have been lost.
      `The token ${earlier.id} replaces it already. If the secret of that one is lost, revoke it and try again.`,
    );
  const created = successorOf(locked, terms, now);
  const problem = problemOfEnd(created, terms.maxTokenDays, now);
  if (problem !== undefined) throw notValid(problem);
  const successor = await store(client, created, { caller, successorOf: token.id });
  const ending = await endToken(client, token.id, new Date(now + terms.overlapMs));
  const predecessor = toRecord(ending ?? token);
  const { environment } = predecessor;
  const preData = toRecord(token);
  await recordEvent(client, { type: 'api-token-updated', caller, environment, data: predecessor, preData });
  return { successor, secret: created.secret, predecessor };
}

function noSuchToken(): Denial {
  return notFound('There is no such token.');
}

export async function recordRevocation(
  client: PostgresClient,
  token: StoredToken,
  caller: Caller,
): Promise<void> {
  await recordEvent(client, { type: 'api-token-deleted', caller, preData: toRecord(token) });
}
