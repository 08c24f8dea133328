import { Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLI_COMMAND } from '../stack/processes/cli.ts';
import { ADMIN_TOKEN } from '../world.ts';

export type ToolResult = {
  readonly isError: boolean;
  readonly text: string;
  /** The parsed JSON of the last line; undefined if there is none. */
  readonly data: unknown;
};

/** The official client of the protocol, as an agent uses it. */
export type Agent = {
  readonly client: Client;
  tools(): Promise<Tool[]>;
  call(name: string, input?: Record<string, unknown>): Promise<ToolResult>;
  close(): Promise<void>;
};

/** `legacy` is the revision of 2025, which has a handshake; `auto` the one of 2026, which has none. */
export type Era = 'legacy' | 'auto';

export type AgentOptions = {
  readonly url: string;
  readonly token?: string | null;
  readonly era?: Era;
};

export function connectByHttp({ url, token = ADMIN_TOKEN, era }: AgentOptions): Promise<Agent> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` };
  return connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }), era);
}

/** Starts `flagmeter mcp` as an agent does. */
export function connectByStdio(
  { url, token = ADMIN_TOKEN, era }: AgentOptions,
  ...args: readonly string[]
): Promise<Agent> {
  const env = { FLAGMETER_URL: url, FLAGMETER_TOKEN: token ?? '' };
  return connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...CLI_COMMAND, 'mcp', ...args],
      env,
      stderr: 'inherit',
    }),
    era,
  );
}

async function connect(
  transport: StdioClientTransport | StreamableHTTPClientTransport,
  era: Era = 'legacy',
): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(transport, { timeout: 60_000 });
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    async call(name, input = {}) {
      const { content, isError = false } = await client.callTool({ name, arguments: input });
      const [block, ...others] = content;
      if (block?.type !== 'text' || others.length > 0) throw new Error('the result is not one text');
      return { isError, text: block.text, data: dataIn(block.text) };
    },
    close: () => client.close(),
  };
}

function dataIn(text: string): unknown {
  const [, json, ...others] = text.split('\n');
  if (others.length > 0) throw new Error('the result has more than two lines');
  return json === undefined ? undefined : JSON.parse(json);
}
