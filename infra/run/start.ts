// `make start`: start.ts [--directory .local]
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { ReadyMessage } from '#runtime';
import { parseSecret } from '#tokens';
import { buildConsole } from '../console/build.ts';
import { type StackAddresses, downStack, inspectStack, localSettings, upStack } from '../stack/index.ts';
import { launchFlagmeter } from './flagmeter-process.ts';
import { type InitialTokens, listOf, readTokens } from './local-tokens.ts';
import { choosePort } from './port.ts';
import { aborted, runProgram } from './run-program.ts';

const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: path.resolve(import.meta.dirname, '../../.local') },
  },
});
const directory = path.resolve(values.directory);
const CONSOLE = path.resolve(import.meta.dirname, '../../dist/console');
const logFile = path.join(directory, 'logs', 'flagmeter.log');
const settings = localSettings(process.env);

await runProgram(path.join(directory, 'logs'), start);

/** Runs until it is interrupted. Engines that ran before keep running afterwards. */
async function start(interrupted: AbortSignal): Promise<number> {
  const port = await choosePort(process.env);
  const tokens = await readTokens(path.join(directory, 'tokens.env'), process.env);
  const wasUp = (await inspectStack(directory)).supervisorPid !== undefined;
  try {
    // The services run from source and serve the console that make build also writes.
    const [addresses] = await Promise.all([upStack({ directory, settings }), buildConsole(CONSOLE)]);
    if (!interrupted.aborted) await serve({ addresses, tokens, port }, interrupted);
  } catch (error) {
    // Ctrl-C also interrupts the downloads.
    if (!interrupted.aborted) throw error;
  } finally {
    if (!wasUp) await downStack(directory);
  }
  console.log(
    wasUp
      ? 'stopped; the engines keep running, as before (make stack-down stops them)'
      : 'stopped, engines included',
  );
  return 0;
}

type Serving = {
  readonly addresses: StackAddresses;
  readonly tokens: InitialTokens;
  readonly port: number;
};

async function serve({ addresses, tokens, port }: Serving, interrupted: AbortSignal): Promise<void> {
  console.log('setting up tables and topics, starting the services ...');
  const env = {
    ...process.env,
    ...settings,
    ...addresses,
    ...tokens,
    PORT: String(port),
  };
  const flagmeter = launchFlagmeter({ env, logFile });
  try {
    const ready = await Promise.race([flagmeter.ready, aborted(interrupted)]);
    if (ready === undefined) return;
    console.log(instructions(ready, addresses, tokens));
    await Promise.race([flagmeter.died, aborted(interrupted)]);
  } finally {
    await flagmeter.stop();
  }
}

function instructions(
  { url, adminUrl = url }: ReadyMessage,
  addresses: StackAddresses,
  tokens: InitialTokens,
): string {
  const clients = listOf(tokens.INIT_CLIENT_API_TOKENS);
  const client = clients[0] ?? listOf(tokens.INIT_ADMIN_API_TOKENS)[0] ?? '';
  const named = parseSecret(client)?.environment ?? '*';
  const environment = named === '*' ? 'development' : named;
  const metric = { featureName: 'first-feature', appName: 'curl', environment, yes: 3, no: 1 };
  const body = JSON.stringify({ applications: [], metrics: [metric] });
  const login = `${addresses.CLICKHOUSE_USER}:${addresses.CLICKHOUSE_PASSWORD}`;
  const database = process.env['CLICKHOUSE_DATABASE'] || 'flagmeter';
  const query = 'select * from usage_by_hour order by hour desc limit 20 format PrettyCompactMonoBlock';
  return `
The console: ${consoleLink(adminUrl, tokens)}
Nothing to look at yet? In another terminal, make sample fills it with a made-up shop.

flagmeter is ready at ${url} (Ctrl-C stops it)
The admin API is at ${adminUrl}

Tokens (throw-away ones are kept in ${path.join(directory, 'tokens.env')}):
${tokenLines('admin', tokens.INIT_ADMIN_API_TOKENS)}
${tokenLines('client', tokens.INIT_CLIENT_API_TOKENS)}
${tokenLines('frontend', tokens.INIT_FRONTEND_API_TOKENS)}

Send a batch:
curl -i ${url}/edge/metrics -H ${quoted(`Authorization: ${client}`)} -H 'Content-Type: application/json' -d ${quoted(body)}

Read it back, a moment later:
curl -sS --user ${quoted(login)} ${quoted(`${addresses.CLICKHOUSE_URL}/?database=${database}`)} --data-binary ${quoted(query)}

Addresses of the engines and settings, for other programs: source ${path.join(directory, 'stack.env')}
Logs: ${path.dirname(logFile)}
`;
}

/** The link signs in. No server sees the token, because browsers do not send the part after #. */
function consoleLink(adminUrl: string, tokens: InitialTokens): string {
  const [token] = listOf(tokens.INIT_ADMIN_API_TOKENS);
  return token === undefined || process.env['AUTH_TYPE'] === 'none'
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
