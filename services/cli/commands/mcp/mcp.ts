import { Command } from 'commander';
import { type OpenApiDocument, isOpenApiDocument, openMcp } from '#tooling/mcp';
import { FlagmeterError, readVersion } from '#base/runtime';
import { type AdminApi, openAdminApi } from '../../admin-api.ts';
import { createSender } from './sender.ts';

type Options = { readonly url?: string; readonly allowWrites?: boolean };

export function createMcpCommand({ env }: { readonly env: NodeJS.ProcessEnv }): Command {
  return new Command()
    .option('--url <url>', 'address of the admin API; default: FLAGMETER_URL')
    .option('--allow-writes', 'offer also the tools that write')
    .action(async ({ url, allowWrites = false }: Options) => {
      const api = openAdminApi(env, url);
      const mcp = await openMcp({
        document: await readDocument(api),
        isWriting: allowWrites,
        version: readVersion(),
        // Standard output belongs to the protocol.
        onError: ({ message }) => process.stderr.write(`flagmeter: ${message}\n`),
      });
      mcp.serve({ input: process.stdin, output: process.stdout }, createSender(api));
    });
}

/** It has a quarter of this size. */
const MAX_DOCUMENT_BYTES = 4 * 1024 * 1024;

async function readDocument(api: AdminApi): Promise<OpenApiDocument> {
  const { status, body } = await api.send({ path: '/docs/openapi.json' }, MAX_DOCUMENT_BYTES);
  if (status === 200 && isOpenApiDocument(body)) return body;
  throw new FlagmeterError('answer', `/docs/openapi.json has no OpenAPI document (status ${status})`);
}
