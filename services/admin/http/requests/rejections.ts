import type { Context } from 'koa';
import type { StoredCredential } from '#base/auth';
import { HttpProblem, addressOf } from '#base/http';
import { type Log, inBackground, withDeadline } from '#base/runtime';
import { type Caller, hashSecret, keyOf, secretOf } from '#base/tokens';
import type { Operation } from '../operation.ts';
import { readCookie } from './cookies.ts';

/** The number of rejections per minute: for each caller, or each address and token of strangers, and in all. */
const OF_CALLERS = { each: 20, all: 100 };
const OF_STRANGERS = { each: 10, all: 20 };
const WINDOW_MS = 60_000;
const MAX_REASON_LENGTH = 300;
const END_DEADLINE_MS = 3000;

export type AuditedCall = {
  /** Its `state` has the caller, once it is known who calls. */
  readonly from: Pick<Context, 'headers' | 'ip' | 'state'>;
  /** Without a method, only rejected callers are noted. */
  readonly operation: Pick<Operation, 'id'> & Partial<Pick<Operation, 'method'>>;
  /** Those of the path, if they match their schemas. */
  readonly parameters: Readonly<Record<string, string>>;
};

export type NoteRejection = (audited: AuditedCall, error: unknown) => void;

/** As the audit records it. */
type Rejection = {
  readonly outcome: 'refused' | 'failed';
  readonly operation: string;
  readonly status?: number;
  readonly reason: string;
  readonly address?: string;
  readonly isStranger?: true | undefined;
  readonly parameters?: AuditedCall['parameters'];
  /** `none`, `unknown`, or the state of the token or session. */
  readonly credential?: string;
  readonly credentialId?: string | undefined;
  readonly userId?: number | undefined;
};

export type Recorder = {
  /** Neither waits nor throws. */
  readonly record: (entry: Rejection) => void;
  /** Resolves when no entry waits any more. */
  readonly drained: () => Promise<void>;
};

export type RejectionsOptions = {
  readonly log: Log;
  /** The name of the cookie of a session; undefined unless people sign in. */
  readonly sessionCookie: string | undefined;
  /** Finds any token or session, also a revoked or expired one. */
  readonly findCredential: (secretHash: string) => Promise<StoredCredential | undefined>;
  readonly recorder: Recorder;
};

export type Rejections = {
  readonly note: NoteRejection;
  /** Records how many rejections were left out, once their minute is over. */
  readonly sumUp: () => void;
  /** Sums up the last minute too. Resolves when everything is recorded, or after three seconds: the log has the rest. */
  readonly end: () => Promise<void>;
};

/**
 * Records rejected callers (401 and 403) and changes that were not made, with the id of the token, never with its secret. Rejected
 * callers get a line in the log too. All of this is bounded. A stranger is whoever the request does not prove to be a caller of the admin
 * API, whatever the answer is: strangers have less room, and never that of callers, who have a part each whatever their address is.
 */
export function createRejections(options: RejectionsOptions): Rejections {
  const callers: RejectionBudget = { budget: createLineBudget(OF_CALLERS, WINDOW_MS), isStranger: undefined };
  const strangers: RejectionBudget = { budget: createLineBudget(OF_STRANGERS, WINDOW_MS), isStranger: true };
  const reportDropped = (dropped: number, { isStranger }: RejectionBudget): void => {
    if (dropped === 0) return;
    options.log.warn({ dropped, isStranger }, 'rejected admin requests not logged');
    const reason = `${dropped} more rejections were not recorded`;
    options.recorder.record({ outcome: 'refused', operation: 'several', reason, isStranger });
  };
  const sumUpAt = (now: number): void => {
    for (const kind of [callers, strangers]) reportDropped(kind.budget.end(now), kind);
  };
  const writing = new Set<Promise<void>>();
  const writeNoted = async (noted: Writing): Promise<void> => {
    const written = write(noted, options);
    writing.add(written);
    await written;
    writing.delete(written);
  };
  const recordRest = async (): Promise<void> => {
    sumUpAt(Infinity);
    await Promise.all(writing);
    await options.recorder.drained();
  };
  return {
    note(audited, error) {
      const { status, message } =
        error instanceof HttpProblem ? error : { status: 500, message: 'Internal error.' };
      const { id, method = 'get' } = audited.operation;
      const isOfCaller = status === 401 || status === 403;
      if (!isOfCaller && method === 'get') return;
      const secretHash = secretHashOf(audited.from, options);
      const address = addressOf(audited.from.ip);
      const { caller } = audited.from.state as { readonly caller?: Caller };
      const kind = caller === undefined ? strangers : callers;
      const keys = caller === undefined ? [address, secretHash ?? ''] : [keyOf(caller)];
      const { isAllowed, dropped } = kind.budget.take(keys, performance.now());
      reportDropped(dropped, kind);
      if (!isAllowed) return;
      const reason = message.slice(0, MAX_REASON_LENGTH);
      const outcome = status < 500 ? 'refused' : 'failed';
      const { parameters } = audited;
      const { isStranger } = kind;
      const rejection = { outcome, operation: id, status, reason, address, parameters, isStranger } as const;
      inBackground(writeNoted({ rejection, secretHash, isLogged: isOfCaller }));
    },

    sumUp() {
      sumUpAt(performance.now());
    },

    async end() {
      try {
        await withDeadline(recordRest(), END_DEADLINE_MS, 'Postgres takes no entries');
      } catch (err) {
        options.log.warn({ err }, 'audit entries not stored');
      }
    },
  };
}

type RejectionBudget = {
  readonly budget: ReturnType<typeof createLineBudget>;
  readonly isStranger: true | undefined;
};

function secretHashOf(
  { headers }: AuditedCall['from'],
  { sessionCookie }: RejectionsOptions,
): string | undefined {
  const { authorization = '' } = headers;
  const inCookie = sessionCookie === undefined ? undefined : readCookie(headers, sessionCookie);
  const secret = authorization === '' ? inCookie : secretOf(authorization);
  return secret === undefined ? undefined : hashSecret(secret);
}

type Writing = {
  readonly rejection: Rejection;
  readonly secretHash: string | undefined;
  readonly isLogged: boolean;
};

async function write(
  { rejection, secretHash, isLogged }: Writing,
  { log, findCredential, recorder: { record } }: RejectionsOptions,
): Promise<void> {
  const { operation, status, address } = rejection;
  const line = { operation, status, address };
  try {
    const found = secretHash === undefined ? undefined : await findCredential(secretHash);
    const token = secretHash === undefined ? 'none' : (found?.state ?? 'unknown');
    const who = { userId: found?.userId };
    if (isLogged) log.warn({ ...line, token, tokenId: found?.id, ...who }, 'admin request rejected');
    record({ ...rejection, credential: token, credentialId: found?.id, ...who });
  } catch (err) {
    if (isLogged) log.warn({ ...line, err }, 'admin request rejected');
    record(rejection);
  }
}

type Taken = {
  readonly isAllowed: boolean;
  /** The lines that were not allowed in the window that has just ended. */
  readonly dropped: number;
};

/** Bounds lines in each window, for each key and in all. It remembers at most as many keys as lines. */
export function createLineBudget({ each, all }: { each: number; all: number }, windowMs: number) {
  const byKey = new Map<string, number>();
  let total = 0;
  let dropped = 0;
  let endsAt = 0;
  /** Ends the window if its time is over. Returns the lines that were not allowed in it. */
  const end = (now: number): number => {
    if (now < endsAt) return 0;
    const ended = dropped;
    byKey.clear();
    [total, dropped, endsAt] = [0, 0, now + windowMs];
    return ended;
  };
  return {
    end,
    take(keys: readonly string[], now: number): Taken {
      const ended = end(now);
      const named = keys.filter((key) => key !== '');
      const isAllowed = total < all && named.every((key) => (byKey.get(key) ?? 0) < each);
      if (isAllowed) {
        total += 1;
        for (const key of named) byKey.set(key, (byKey.get(key) ?? 0) + 1);
      } else dropped += 1;
      return { isAllowed, dropped: ended };
    },
  };
}
