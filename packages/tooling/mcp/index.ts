/** The tools for agents: operations of the admin API, served by the Model Context Protocol. */
export * from './api.ts';
export type { Mcp } from './mcp.ts';
export { type OpenApiDocument, isOpenApiDocument } from './tools/document.ts';
export { openMcp } from './open-mcp.ts';
