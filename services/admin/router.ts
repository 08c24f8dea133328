import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { BooksUnavailableError } from '#books';
import { compileQuery } from '#contract';
import { hasPermission } from '#domain';
import { HttpProblem } from '#http';
import { UsageUnavailableError, isUnavailable } from '#stores';
import { readJsonBody } from './body.ts';
import { type Identification, identify } from './caller.ts';
import { type Operation, notFound } from './operation.ts';
import { compilePath } from './path-parameters.ts';

/** Serves operations. Nothing of a request is read before its caller is known to be allowed. */
export function createOperationRouter(
  operations: readonly Operation[],
  identification: Identification,
): Router {
  const router = new Router();
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const route = { operation, isPath: compilePath(operation.path), identification };
    router[operation.method](path, (ctx) => serveOperation(ctx, route));
  }
  return router;
}

type Route = {
  readonly operation: Operation;
  readonly isPath: ReturnType<typeof compilePath>;
  readonly identification: Identification;
};

async function serveOperation(ctx: Context, { operation, isPath, identification }: Route): Promise<void> {
  try {
    const caller = await identify(identification, ctx.get('authorization'));
    if (!hasPermission(caller.role, operation.permission))
      throw new HttpProblem(403, `This needs the permission ${operation.permission}.`);
    const parameters = ctx['params'] as Record<string, string>; // what the router found in the path
    if (!isPath(parameters)) throw notFound();
    const query = queryOf(ctx, operation);
    const body = operation.body === undefined ? undefined : await readJsonBody(ctx.req);
    answer(ctx, operation, await operation.run({ caller, parameters, query, body }));
  } catch (error) {
    throw toProblem(error);
  }
}

function answer(ctx: Context, operation: Operation, body: unknown): void {
  if (body === undefined) ctx.body = null;
  else if (body instanceof Readable) {
    ctx.type = 'application/json';
    ctx.body = body;
  } else ctx.body = body;
  ctx.status = operation.answer.status;
}

const NO_PARAMETERS = compileQuery<unknown>({ type: 'object', properties: {} });

function queryOf(ctx: Context, { query = NO_PARAMETERS }: Operation): unknown {
  const result = query.read(ctx.query);
  if ('query' in result) return result.query;
  throw new HttpProblem(400, 'The query is not as expected.', { details: result.problems });
}

function toProblem(error: unknown): unknown {
  const isPassing =
    isUnavailable(error) || error instanceof UsageUnavailableError || error instanceof BooksUnavailableError;
  if (!isPassing) return error;
  return new HttpProblem(503, 'This cannot be answered at the moment. Try again in a few seconds.', {
    headers: { 'Retry-After': '5' },
    cause: error,
  });
}
