import type { ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import { HttpProblem, type Query, addressOf } from '#base/http';
import { Counter, type Registry } from '#base/runtime';
import { compileQuery } from '#base/schema';
import { type Caller, keyOf, projectsWith } from '#base/tokens';
import { checkBody, checkCaller, checkPath } from './access/check.ts';
import type { ProjectLookups } from './access/project-lookups.ts';
import { problemOf } from './answers/denied.ts';
import { Denial, notFound } from '../denial.ts';
import { gatherShort } from './answers/gather-short.ts';
import { type InTurn, LongList, streamList } from './answers/stream-list.ts';
import { readIfMatch, rejectIgnored } from './answers/versions.ts';
import { withComment } from './comment.ts';
import type { Operation } from './operation.ts';
import type { JsonBody } from './requests/body.ts';
import { type Identification, type Identity, identify } from './requests/caller.ts';
import { compilePath } from './requests/path-parameters.ts';
import type { AuditedCall, NoteRejection } from './requests/rejections.ts';
import { LimitReached } from './turns/limit-reached.ts';
import { Endings } from './turns/endings.ts';
import { type OpenLists, createOpenLists } from './turns/open-lists.ts';
import type { Queues } from './turns/queues.ts';

export type DailyWrites = {
  /** Counts a change of so many bytes. If it exceeds the limit of the caller, returns the milliseconds until the next day. */
  count(caller: Caller, bytes: number): Promise<number | undefined>;
};

export type PerformerParts = {
  readonly identification: Identification;
  readonly lookups: ProjectLookups;
  readonly dailyWrites: DailyWrites;
  readonly queues: Queues;
  readonly registry: Registry;
  /** Whether the error means that an engine is unreachable or too slow, so that a retry may succeed. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly noteRejection: NoteRejection;
};

/** What a request gives to an operation, at its own path or as the call of a tool. */
export type OperationCall = {
  /** Of the HTTP request. Its `state` learns the caller, for the log. */
  readonly from: Pick<Context, 'headers' | 'ip' | 'method' | 'state' | 'res'>;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: () => Query;
  readonly readBody: () => Promise<JsonBody>;
};

/** Resolves with a Versioned, the JSON of a list as a Buffer or Readable, or a value for JSON. Rejects with an HttpProblem or a bug. */
export type Perform = (call: OperationCall) => Promise<unknown>;

export type Performer = {
  /** Identifies the caller. Throws a 401 or 403 without a valid token or the permission, and logs that. */
  admit(from: OperationCall['from'], operation: Admitting): Promise<Identity>;
  /** The operation as callers may use it: it authorises the caller before it reads the query and the body. */
  perform(operation: Operation): Perform;
};

type Admitting = Pick<Operation, 'id' | 'permission' | 'scope'>;

/** Guards the operations: authentication, permissions, schemas of paths and queries, turns and limits. */
export function createPerformer(parts: PerformerParts): Performer {
  const rejected = new Counter({
    name: 'flagmeter_admin_refused_total',
    help: 'Requests of the admin API beyond a limit of their caller',
    labelNames: ['limit'],
    registers: [parts.registry],
  });
  const endings = new Endings();
  const guard: Guard = { ...parts, rejected, endings, openLists: createOpenLists(endings) };
  return {
    admit: (from, operation) =>
      recordingRejection(guard, { from, operation, parameters: {} }, async () =>
        withRequest(await authorise(from, operation, guard), { from, operation, parameters: {} }),
      ),
    perform(operation) {
      const isPath = compilePath(operation.path);
      return (call) => {
        const parameters = isPath(call.parameters) ? call.parameters : {};
        const audited = { from: call.from, operation, parameters };
        return recordingRejection(guard, audited, async () => {
          const { caller, token } = withRequest(await authorise(call.from, operation, guard), audited);
          call.from.state['caller'] = caller;
          checkAuthType(operation, guard);
          if (!isPath(call.parameters)) throw notFound();
          await checkPath(caller, operation, { ...guard, parameters });
          return run(operation, { ...call, caller, token }, guard);
        });
      };
    },
  };
}

type Guard = PerformerParts & {
  readonly endings: Endings;
  readonly openLists: OpenLists;
  readonly rejected: Counter<'limit'>;
};

/** The caller, with the request that the audit records. */
function withRequest({ caller, token }: Identity, { from, operation, parameters }: AuditedCall): Identity {
  const request = { operation: operation.id, address: addressOf(from.ip), parameters };
  return { caller: { ...caller, request }, token };
}

async function recordingRejection<T>(guard: Guard, audited: AuditedCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LimitReached) guard.rejected.inc({ limit: error.limit });
    const rejection = rejectionOf(error, guard);
    guard.noteRejection(audited, rejection);
    throw rejection;
  }
}

function rejectionOf(error: unknown, { isUnavailable }: Guard): unknown {
  if (error instanceof Denial) return problemOf(error);
  return isUnavailable(error) ? unavailable(error) : error;
}

async function authorise(
  from: OperationCall['from'],
  operation: Admitting,
  { identification }: Guard,
): Promise<Identity> {
  const identity = await identify(identification, from);
  from.state['caller'] = identity.caller; // also if the permission is missing: it is no stranger then
  checkCaller(identity.caller, operation);
  return identity;
}

function checkAuthType({ isMakingToken }: Operation, { identification }: Guard): void {
  if (isMakingToken === true && identification.authType === 'none')
    throw new HttpProblem(
      403,
      'While AUTH_TYPE is none, tokens cannot be created, because they would stay valid afterwards.',
    );
}

async function run(operation: Operation, call: OperationCall & Identity, guard: Guard): Promise<unknown> {
  const { from, caller, token, parameters } = call;
  const query = queryOf(call, operation);
  rejectIgnored(from.headers, operation);
  const ifMatch = readIfMatch(from.headers['if-match']);
  const body = operation.body === undefined ? NO_BODY : await call.readBody();
  await checkBody(caller, operation, { ...guard, parameters, body: body.json });
  const visible = projectsWith(caller, operation.permission);
  const left = callerLeftOf(from.res, guard.endings);
  const request = {
    caller,
    token,
    visible,
    parameters,
    query,
    ...ifMatch,
    body: body.json,
    left,
  };
  const inTurn = turnsOf(operation, guard.queues, caller);
  const result = await inTurn(async () => {
    if (operation.method === 'get') return operation.run(request);
    const now = await authoriseAgain(operation, { ...call, body: body.json }, guard);
    await countWrite(guard.dailyWrites, now.caller, body.bytes);
    return operation.run({ ...request, ...now, caller: withComment(now.caller, query) });
  });
  if (!(result instanceof LongList)) return result;
  guard.openLists.admit(caller, from.res);
  return gatherShort(streamList(result, inTurn));
}

type Waited = Pick<OperationCall, 'from' | 'parameters'> & Identity & { readonly body: unknown };

/** Just before a change. The body may come slowly and the turn late, and roles and tokens may have ended meanwhile. */
async function authoriseAgain(
  operation: Operation,
  { from, parameters, caller: before, body }: Waited,
  guard: Guard,
): Promise<Identity> {
  const now = withRequest(await authorise(from, operation, guard), { from, operation, parameters });
  const { role, grants } = now.caller;
  if (role !== before.role || !isDeepStrictEqual(grants, before.grants)) {
    await checkPath(now.caller, operation, { ...guard, parameters });
    await checkBody(now.caller, operation, { ...guard, parameters, body });
  }
  return now;
}

function callerLeftOf(answer: ServerResponse, endings: Endings): AbortSignal {
  const left = new AbortController();
  endings.notice(answer, (isWhole) => {
    if (!isWhole) left.abort();
  });
  return left.signal;
}

const NO_BODY = { json: undefined, bytes: 0 };

/** Requests of an operation with its own limits take no turn. */
function turnsOf({ queue = 'database' }: Operation, queues: Queues, caller: Caller): InTurn {
  return queue === 'none' ? (work) => work() : (work) => queues[queue].take(keyOf(caller), work);
}

async function countWrite(dailyWrites: DailyWrites, caller: Caller, bytes: number): Promise<void> {
  const untilNextDayMs = await dailyWrites.count(caller, bytes);
  if (untilNextDayMs === undefined) return;
  const seconds = Math.ceil(untilNextDayMs / 1000);
  throw new LimitReached(
    'daily_writes',
    'You have reached the daily limit of changes for one user.',
    seconds,
  );
}

const NO_PARAMETERS = compileQuery<unknown>({ type: 'object', properties: {} });

function queryOf(call: OperationCall, { query = NO_PARAMETERS }: Operation): unknown {
  const result = query.read(call.query());
  if ('query' in result) return result.query;
  throw new HttpProblem(400, 'The query parameters are not valid.', { details: result.problems });
}

function unavailable(cause: unknown): HttpProblem {
  return new HttpProblem(
    503,
    'The server cannot answer this request at the moment. Try again in a few seconds.',
    { headers: { 'Retry-After': '5' }, cause },
  );
}
