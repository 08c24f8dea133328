import assert from 'node:assert/strict';
import Router from '@koa/router';
import type { Context } from 'koa';
import { HttpProblem } from '#base/http';
import { type Mcp, isOpenApiDocument, openMcp } from '#tooling/mcp';
import { type Log, readVersion } from '#base/runtime';
import { createDocument } from '../../http/document/openapi.ts';
import type { Operation } from '../../http/operation.ts';
import type { Performer } from '../../http/perform.ts';
import { readJsonBody } from '../../http/requests/body.ts';
import { isForeignPage } from '../../http/requests/origin.ts';
import { createToolCalls, senderOf } from './tool-calls.ts';

export type McpEndpointOptions = {
  readonly operations: readonly Operation[];
  readonly performer: Performer;
  /** Which tools are offered. */
  readonly tools: 'read' | 'write';
  /** Origins of other web pages that may call the API. */
  readonly origins: readonly string[];
  readonly log: Log;
};

/** Who may call any tool at all. Each tool needs the permission of its operation as well. */
const ENDPOINT = { id: 'mcp', permission: 'READ', scope: 'shared' } as const;

/**
 * Serves `/mcp`, the streamable HTTP transport of the Model Context Protocol. There are no sessions: any process answers any
 * request, and each request names its caller.
 */
export function createMcpRouter({ operations, performer, tools, origins, log }: McpEndpointOptions): Router {
  const router = new Router();
  const toolCalls = createToolCalls(operations, performer, log);
  let opened: Promise<Mcp> | undefined;
  const open = () => {
    const document = createDocument(operations);
    assert(isOpenApiDocument(document), 'the document has what tools need');
    const onError = (err: Error) => {
      log.debug({ err }, 'MCP request failed');
    };
    return openMcp({ document, isWriting: tools === 'write', version: readVersion(), onError });
  };
  router.post('/mcp', async (ctx) => {
    // The protocol asks for this check, also of servers that ask for a token.
    if (isForeignPage(ctx.headers, origins))
      throw new HttpProblem(403, 'Pages of other origins may not call /mcp.');
    const { caller } = await performer.admit(senderOf(ctx), ENDPOINT);
    ctx.state['caller'] = caller;
    const { json } = await readJsonBody(ctx.req);
    if (Array.isArray(json)) throw new HttpProblem(400, 'Send one message in each request.');
    opened ??= open();
    const mcp = await opened;
    await send(ctx, await mcp.answer(requestOf(ctx), json, toolCalls.of(ctx)));
  });
  return router;
}

/** Without the body, which has been read, and without the secret, which the SDK does not need. */
function requestOf(ctx: Context): Request {
  const headers = new Headers();
  for (const name of READ_BY_SDK) if (ctx.get(name) !== '') headers.set(name, ctx.get(name));
  const left = new AbortController();
  ctx.res.once('close', () => {
    left.abort();
  });
  return new Request('http://localhost/mcp', { method: 'POST', headers, signal: left.signal });
}

const READ_BY_SDK = ['accept', 'content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'];

/**
 * Of the headers only the type, because the others are about caches and connections, which are ours. The SDK sends the result as
 * a stream of one event to older clients; a tool takes as long as its operation, so it need not begin earlier.
 */
async function send(ctx: Context, response: Response): Promise<void> {
  const content = Buffer.from(await response.arrayBuffer());
  ctx.set('Cache-Control', 'no-store');
  ctx.body = content;
  ctx.status = response.status;
  ctx.type = response.headers.get('content-type') ?? '';
}
