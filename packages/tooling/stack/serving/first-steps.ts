import path from 'node:path';
import type { ReadyMessage } from '#base/runtime';
import { parseSecret } from '#base/tokens';
import type { StackAddresses } from '../processes/addresses.ts';
import { writePrivately } from '../processes/private-files.ts';
import { type LocalSecrets, listOf } from './local-secrets.ts';

type Started = {
  readonly ready: Pick<ReadyMessage, 'url' | 'adminUrl'>;
  readonly addresses: Pick<StackAddresses, 'CLICKHOUSE_URL' | 'CLICKHOUSE_USER' | 'CLICKHOUSE_PASSWORD'>;
  readonly tokens: LocalSecrets;
  /** The folder of the stack. */
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  /** What there is to look at. */
  readonly hint: string;
};

type FirstSteps = { readonly withSecrets: string; readonly places: string };

/** How to sign in, to send counts and to read them back. */
export function firstSteps({ ready, addresses, tokens, directory, env, hint }: Started): FirstSteps {
  const url = openable(ready.url);
  const adminUrl = openable(ready.adminUrl ?? ready.url);
  const clients = listOf(tokens.INIT_CLIENT_API_TOKENS);
  const client = clients[0] ?? listOf(tokens.INIT_ADMIN_API_TOKENS)[0] ?? '';
  const named = parseSecret(client)?.environment ?? '*';
  const environment = named === '*' ? 'development' : named;
  const toggles = { 'first-feature': { yes: 3, no: 1 } };
  const body = JSON.stringify({ appName: 'curl', environment, bucket: { toggles } });
  const readBack =
    url === ready.url ? readByQuery(addresses, env) : readByApi(adminUrl, tokens.INIT_ADMIN_API_TOKENS);
  const withSecrets = `
The console: ${consoleLink(adminUrl, tokens, env)}
${hint}

Tokens (throw-away ones are kept in ${path.join(directory, 'tokens.env')}):
${tokenLines('admin', tokens.INIT_ADMIN_API_TOKENS)}
${tokenLines('client', tokens.INIT_CLIENT_API_TOKENS)}
${tokenLines('frontend', tokens.INIT_FRONTEND_API_TOKENS)}

Send what an SDK sends:
curl -i ${url}/api/client/metrics -H ${quoted(`Authorization: ${client}`)} -H 'Content-Type: application/json' -d ${quoted(body)}

Read it back, a moment later:
${readBack}
`;
  const places = `
flagmeter is ready at ${url} (Ctrl-C stops it)
The admin API is at ${adminUrl}
Addresses of the engines and settings, for other programs: source ${path.join(directory, 'stack.env')}
Logs: ${path.join(directory, 'logs')}
`;
  return { withSecrets, places };
}

/** The text to print. A log keeps what it gets, so only a terminal gets secrets. They are otherwise kept in the file. */
export async function announce(
  { withSecrets, places }: FirstSteps,
  { file, isTerminal }: { readonly file: string; readonly isTerminal: boolean },
): Promise<string> {
  if (isTerminal) return `${withSecrets}${places}`;
  await writePrivately(file, withSecrets);
  return `${places}Tokens, and lines to paste: ${file}, which only you can read\n`;
}

function readByQuery(addresses: Started['addresses'], env: NodeJS.ProcessEnv): string {
  const login = `${addresses.CLICKHOUSE_USER}:${addresses.CLICKHOUSE_PASSWORD}`;
  const database = env['CLICKHOUSE_DATABASE'] || 'flagmeter';
  const query = 'select * from usage_by_hour order by hour desc limit 20 format PrettyCompactMonoBlock';
  return `curl -sS --user ${quoted(login)} ${quoted(`${addresses.CLICKHOUSE_URL}/?database=${database}`)} --data-binary ${quoted(query)}`;
}

/** For a container, whose engines nobody reaches from outside. */
function readByApi(adminUrl: string, tokens: string): string {
  const [token = ''] = listOf(tokens);
  return `curl -sS ${adminUrl}/api/admin/client-metrics/features/first-feature -H ${quoted(`Authorization: ${token}`)}`;
}

/** In a container it listens on all addresses, and the published port is one of the machine's own. */
function openable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:');
}

/** The link signs in. No server sees the token, because browsers do not send the part after #. */
function consoleLink(adminUrl: string, tokens: LocalSecrets, env: NodeJS.ProcessEnv): string {
  const [token] = listOf(tokens.INIT_ADMIN_API_TOKENS);
  return token === undefined || env['AUTH_TYPE'] === 'none'
    ? `${adminUrl}/`
    : `${adminUrl}/#token=${encodeURIComponent(token)}`;
}

function tokenLines(type: string, tokens: string): string {
  return listOf(tokens)
    .map((token) => `  ${type.padEnd(10)}${token}`)
    .join('\n');
}

/** Quotes a text as one argument of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
