/** All of the SDK that is used. `make build` replaces this module by a bundle, so that only developers install it. */
export {
  type CallToolResult,
  McpServer,
  createMcpHandler,
  fromJsonSchema,
  type jsonSchemaValidator,
} from '@modelcontextprotocol/server';
export { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
