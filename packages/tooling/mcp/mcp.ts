import type { Readable, Writable } from 'node:stream';
import type { SendRequest } from './api.ts';
import { StdioServerTransport, createMcpHandler, serveStdio } from './library.ts';
import { createServer } from './server.ts';
import type { OpenApiDocument } from './tools/document.ts';
import { createTools } from './tools/tools.ts';

export type McpOptions = {
  readonly document: OpenApiDocument;
  /** Whether the tools that write are offered. */
  readonly isWriting: boolean;
  readonly version: string;
  /** Of the protocol, not of a tool. */
  readonly onError: (error: Error) => void;
};

export type Mcp = {
  /** Answers a POST of the streamable HTTP transport, without a session. `body` is its parsed JSON. */
  answer(request: Request, body: unknown, send: SendRequest): Promise<Response>;
  /** Serves one client until it closes `input`. */
  serve(streams: Streams, send: SendRequest): void;
};

type Streams = { readonly input: Readable; readonly output: Writable };

/** The longest message of a client; the admin API reads no longer body. */
const MAX_MESSAGE_BYTES = 256 * 1024;

export function createMcp({ document, isWriting, version, onError }: McpOptions): Mcp {
  const tools = createTools(document, { isWriting });
  return {
    answer(request, body, send) {
      const handler = createMcpHandler(() => createServer(tools, version, send), { onerror: onError });
      return handler.fetch(request, { parsedBody: body });
    },
    serve({ input, output }, send) {
      serveStdio(() => createServer(tools, version, send), {
        transport: new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES }),
        onerror: onError,
      });
    },
  };
}
