import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { HttpProblem, problemBody } from '#base/http';
import { type ApiAnswer, type ApiRequest, type SendRequest, TOO_LONG } from '#tooling/mcp';
import type { Log } from '#base/runtime';
import { Versioned } from '../../http/answers/versions.ts';
import type { Operation } from '../../http/operation.ts';
import type { OperationCall, Perform, Performer } from '../../http/perform.ts';

export type ToolCalls = {
  /** Sends requests as the caller of this HTTP request. */
  of(ctx: Context): SendRequest;
};

/** Calls operations in this process, with the same checks and limits as at their own paths. */
export function createToolCalls(operations: readonly Operation[], performer: Performer, log: Log): ToolCalls {
  const performs = new Map<string, Called>(
    operations.map((operation) => [operation.id, { operation, perform: performer.perform(operation) }]),
  );
  return {
    of: (ctx) => async (request) => {
      const called = performs.get(request.operation);
      if (called === undefined) return { status: 404, body: { message: 'There is no such operation.' } };
      ctx.state['operation'] = request.operation;
      return answerOf(called, callOf(ctx, request), log);
    },
  };
}

type Called = { readonly operation: Operation; readonly perform: Perform };

/** With the headers that identify the caller. Others, such as If-Match, are not about the operation, and agents have no cookies. */
export function senderOf(ctx: Context): OperationCall['from'] {
  const { authorization, host, origin } = ctx.headers;
  const headers = {
    ...(authorization && { authorization }),
    ...(host && { host }),
    ...(origin && { origin }),
  };
  const { ip, method, state, res } = ctx;
  return { headers, ip, method, state, res };
}

function callOf(ctx: Context, { parameters, query, body }: ApiRequest): OperationCall {
  const bytes = body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body));
  return {
    from: senderOf(ctx),
    parameters,
    query: () => query,
    readBody: () => Promise.resolve({ json: body, bytes }),
  };
}

async function answerOf({ operation, perform }: Called, call: OperationCall, log: Log): Promise<ApiAnswer> {
  try {
    return bodyOf(operation, await perform(call));
  } catch (error) {
    if (error instanceof HttpProblem) return { status: error.status, body: problemBody(error) };
    const body = problemBody(new HttpProblem(500, 'Internal error.'));
    log.error({ err: error, id: body.id }, 'request failed');
    return { status: 500, body };
  }
}

function bodyOf({ answer: { status } }: Operation, result: unknown): ApiAnswer {
  const body = result instanceof Versioned ? result.body : result;
  if (Buffer.isBuffer(body)) return { status, body: JSON.parse(body.toString()) as unknown };
  if (!(body instanceof Readable)) return { status, body };
  // It continues where the beginning, which is long, ended.
  body.destroy();
  return TOO_LONG;
}
