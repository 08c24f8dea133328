import type { Mcp, McpOptions } from './mcp.ts';

/** Loads the SDK, which takes 25 MB and a third of a second. A process that serves no agents never does. */
export async function openMcp(options: McpOptions): Promise<Mcp> {
  const { createMcp } = await import('./mcp.ts');
  return createMcp(options);
}
