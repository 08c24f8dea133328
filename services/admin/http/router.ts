import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { HttpProblem } from '#http';
import { Counter, type Registry } from '#runtime';
import { compileQuery } from '#schema';
import { type Caller, hasPermission, keyOf } from '#tokens';
import { readJsonBody } from './requests/body.ts';
import { type Identification, type Identity, identify } from './requests/caller.ts';
import { gatherShort } from './answers/gather-short.ts';
import { LimitReached } from './turns/limit-reached.ts';
import { type OpenLists, createOpenLists } from './turns/open-lists.ts';
import { type Operation, notFound } from './operation.ts';
import { compilePath } from './requests/path-parameters.ts';
import type { LogRejection } from './requests/rejections.ts';
import type { Rooms } from './turns/rooms.ts';
import { type InTurn, LongList, streamList } from './answers/stream-list.ts';
import { Versioned, etagOf, readIfMatch, rejectIgnored } from './answers/versions.ts';

export type DailyWrites = {
  /** Counts a change of so many bytes. If it exceeds the limit of the caller, returns the milliseconds until the next day. */
  count(caller: Caller, bytes: number): Promise<number | undefined>;
};

export type RouterParts = {
  readonly identification: Identification;
  readonly dailyWrites: DailyWrites;
  readonly rooms: Rooms;
  readonly registry: Registry;
  /** Whether the error means that an engine is unreachable or too slow, so that a retry may succeed. */
  readonly isUnavailable: (error: unknown) => boolean;
  readonly logRejection: LogRejection;
};

/** Serves operations. It authorises the caller before it reads the query and the body. */
export function createOperationRouter(
  operations: readonly Operation[],
  { identification, dailyWrites, rooms, registry, isUnavailable, logRejection }: RouterParts,
): Router {
  const router = new Router();
  const rejected = new Counter({
    name: 'flagmeter_admin_refused_total',
    help: 'Requests of the admin API beyond a limit of their caller',
    labelNames: ['limit'],
    registers: [registry],
  });
  const limits: Limits = { dailyWrites, rooms, openLists: createOpenLists(), rejected };
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const isPath = compilePath(operation.path);
    const route = { operation, isPath, identification, limits, isUnavailable, logRejection };
    router[operation.method](path, (ctx) => serveOperation(ctx, route));
  }
  return router;
}

type Route = {
  readonly operation: Operation;
  readonly isPath: ReturnType<typeof compilePath>;
  readonly identification: Identification;
  readonly limits: Limits;
  readonly isUnavailable: RouterParts['isUnavailable'];
  readonly logRejection: LogRejection;
};

type Limits = {
  readonly dailyWrites: DailyWrites;
  readonly rooms: Rooms;
  readonly openLists: OpenLists;
  readonly rejected: Counter<'limit'>;
};

async function serveOperation(ctx: Context, route: Route): Promise<void> {
  const { operation, isPath, identification, limits } = route;
  try {
    const { caller, token } = await authorise(ctx, route);
    ctx.state['caller'] = caller;
    if (operation.isMakingToken === true && identification.authType === 'none')
      throw new HttpProblem(
        403,
        'While AUTH_TYPE is none, tokens cannot be created, because they would stay valid afterwards.',
      );
    const parameters = ctx['params'] as Record<string, string>; // the parameters that the router found in the path
    if (!isPath(parameters)) throw notFound();
    const query = queryOf(ctx, operation);
    rejectIgnored(ctx.headers, operation);
    const ifMatch = readIfMatch(ctx.headers['if-match']);
    const body =
      operation.body === undefined ? NO_BODY : await readJsonBody(ctx.req, operation.body.maxBytes);
    const isStillAllowed = () => isAuthorised(ctx, route);
    const request = { caller, token, parameters, query, ...ifMatch, body: body.json, isStillAllowed };
    const inTurn = turnsOf(operation, limits.rooms, caller);
    const result = await inTurn(async () => {
      if (operation.method !== 'get') await countWrite(limits.dailyWrites, caller, body.bytes);
      return operation.run(request);
    });
    if (result instanceof LongList) {
      limits.openLists.admit(caller, ctx.res);
      answer(ctx, operation, await gatherShort(streamList(result, inTurn)));
    } else answer(ctx, operation, result);
  } catch (error) {
    if (error instanceof HttpProblem) route.logRejection(ctx, operation, error);
    if (error instanceof LimitReached) limits.rejected.inc({ limit: error.limit });
    throw route.isUnavailable(error) ? unavailable(error) : error;
  }
}

/** Identifies the caller. Throws a 401 or 403 without a valid token or the permission. */
async function authorise(ctx: Context, { operation, identification }: Route): Promise<Identity> {
  const identity = await identify(identification, ctx);
  if (!hasPermission(identity.caller.role, operation.permission))
    throw new HttpProblem(403, `This needs the permission ${operation.permission}.`);
  return identity;
}

/** False only if the caller has lost the token or the permission. While tokens cannot be verified, it stays true. */
async function isAuthorised(ctx: Context, route: Route): Promise<boolean> {
  try {
    await authorise(ctx, route);
    return true;
  } catch (error) {
    return error instanceof HttpProblem && error.status === 503;
  }
}

function isEndless({ answer: { contentType } }: Operation): boolean {
  return contentType !== undefined;
}

const NO_BODY = { json: undefined, bytes: 0 };

/** Requests of an operation with its own limits take no turn. */
function turnsOf({ room = 'database' }: Operation, rooms: Rooms, caller: Caller): InTurn {
  return room === 'none' ? (work) => work() : (work) => rooms[room].take(keyOf(caller), work);
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

function answer(ctx: Context, operation: Operation, result: unknown): void {
  const body = result instanceof Versioned ? result.body : result;
  if (result instanceof Versioned) ctx.set('ETag', etagOf(result));
  if (isEndless(operation)) {
    ctx.type = operation.answer.contentType ?? '';
    ctx.set('X-Accel-Buffering', 'no'); // nginx would hold the events back
  } else if (body instanceof Readable || Buffer.isBuffer(body)) ctx.type = 'application/json';
  ctx.body = body ?? null;
  ctx.status = operation.answer.status;
}

const NO_PARAMETERS = compileQuery<unknown>({ type: 'object', properties: {} });

function queryOf(ctx: Context, { query = NO_PARAMETERS }: Operation): unknown {
  const result = query.read(ctx.query);
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
