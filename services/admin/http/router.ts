import { Readable } from 'node:stream';
import Router from '@koa/router';
import type { Context } from 'koa';
import { readQuery } from '#base/http';
import { Versioned, etagOf } from './answers/versions.ts';
import type { Operation } from './operation.ts';
import type { Performer } from './perform.ts';
import { readJsonBody } from './requests/body.ts';

/** Serves operations at their paths. */
export function createOperationRouter(operations: readonly Operation[], performer: Performer): Router {
  const router = new Router();
  for (const operation of operations) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const perform = performer.perform(operation);
    router[operation.method](path, async (ctx) => {
      const readBody = () => readJsonBody(ctx.req, operation.body?.maxBytes);
      answer(
        ctx,
        operation,
        await perform({
          from: ctx,
          parameters: ctx.params,
          readBody,
          query: () => readQuery(ctx.querystring),
        }),
      );
    });
  }
  return router;
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

function isEndless({ answer: { contentType } }: Operation): boolean {
  return contentType !== undefined;
}
