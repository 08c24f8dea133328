import { Command, InvalidArgumentError, Option } from 'commander';
import { type StoredToken, createTokens } from '#base/auth';
import { type Config, FlagmeterError, type Log } from '#base/runtime';
import { isUuid } from '#base/schema';
import { type NewToken, SYSTEM, type TokenType, createSecret, problemOfEnd } from '#base/tokens';
import { createApiTokens } from '../../../admin/people/tokens/index.ts';
import { callerOf } from '../../caller.ts';
import { tableOf } from '../../columns.ts';
import { jsonOption, printJson } from '../../print-json.ts';
import { announceRevoked, withPostgres } from '../../revoking.ts';
import { createRotateCommand, toDurationMs } from './rotate.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };
type CreateOptions = {
  name: string;
  type: TokenType;
  environment?: string;
  project: string[];
  expiresIn?: number;
  rateLimit?: number;
  notEnabledReason?: string[];
  trusted?: boolean;
};

export function createTokenCommand({ log, readConfig }: Environment): Command {
  const command = new Command();
  command
    .command('create')
    .description('create a token and show its secret, once')
    .requiredOption('--name <name>', 'what it is for')
    .addOption(
      new Option('--type <type>').choices(['client', 'frontend', 'admin', 'scan']).makeOptionMandatory(),
    )
    .option(
      '--environment <name>',
      'the environment whose metrics it may send, or *; admin and scan tokens need none',
    )
    .option('--project <name...>', 'projects; default: all', [])
    .option('--expires-in <duration>', 'how long it is valid, such as 90d; default: for ever', toDurationMs)
    .option(
      '--rate-limit <requests>',
      'requests per minute, 0 for no limit; default RATE_LIMIT_PER_MINUTE',
      toRequests,
    )
    .option(
      '--not-enabled-reason <reason...>',
      'reasons for which an evaluation of OpenTelemetry counts as no; default: default, disabled and error',
    )
    .option(
      '--trusted',
      'whether guards may turn features off because of what it sends; for client tokens of servers',
    )
    .action(async (options: CreateOptions) => {
      await create(options, { config: readConfig(), log });
    });
  command
    .command('list')
    .description('list tokens; secrets are not stored')
    .option(
      '--unused <duration>',
      'only those neither created nor used for so long, such as 90d',
      toDurationMs,
    )
    .addOption(jsonOption())
    .action(async ({ unused, json }: { unused?: number; json: boolean }) => {
      const since = unused === undefined ? undefined : new Date(Date.now() - unused);
      const tokens = await withPostgres(readConfig(), log, (db) => createTokens(db).list(since));
      if (json) printJson(tokens.map(documentOf));
      else console.log(tableOf(tokens.map(rowOf)));
    });
  command.addCommand(createRotateCommand({ log, readConfig }));
  command
    .command('revoke')
    .description('revoke a token in every process at once')
    .argument('<id>', 'id, as list shows it')
    .action(async (id: string) => {
      console.log(`Revoked ${await revoke(readConfig(), log, id)}.`);
    });
  return command;
}

async function create(
  options: CreateOptions,
  { config, log }: { readonly config: Config; readonly log: Log },
): Promise<void> {
  const token = newTokenOf(options, config);
  const created = await withPostgres(config, log, (db) =>
    createApiTokens({ db, lists: db }).create(token, callerOf('token create')),
  );
  console.log(`${token.secret}\n(id ${created.id}; the secret is not shown again)`);
}

/** Times as text, as in the admin API. */
function documentOf(token: StoredToken) {
  const { expiresAt } = token;
  return { ...token, expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt) };
}

function rowOf(token: StoredToken) {
  return {
    id: token.id,
    name: token.name,
    type: token.type,
    environment: token.environment,
    projects: token.projects.join(',') || '*',
    'per minute': token.rateLimit ?? '',
    trusted: token.isTrusted === true ? 'yes' : '',
    'no if': token.notEnabledReasons?.join(',') ?? '',
    'created by': creatorOf(token),
    created: token.createdAt.toISOString(),
    expires: token.expiresAt === undefined ? '' : new Date(token.expiresAt).toISOString(),
    seen: token.seenAt?.toISOString() ?? '',
    'by IPv4': token.seenIpv4At?.toISOString() ?? '',
    'by IPv6': token.seenIpv6At?.toISOString() ?? '',
    revoked: token.revokedAt?.toISOString() ?? '',
    'successor of': token.successorOf ?? '',
  };
}

function creatorOf({ createdBy }: StoredToken): string {
  if (createdBy === undefined) return '';
  if (createdBy.userId === SYSTEM.userId) return SYSTEM.name;
  return createdBy.tokenId === undefined ? `user ${createdBy.userId}` : `token ${createdBy.tokenId}`;
}

function toRequests(value: string): number {
  if (/^\d{1,9}$/.test(value)) return Number(value);
  throw new InvalidArgumentError('It is a whole number.');
}

function newTokenOf(options: CreateOptions, { auth: { maxTokenDays } }: Config): NewToken {
  const { name, type, project: projects, rateLimit, notEnabledReason, expiresIn } = options;
  const now = Date.now();
  const expiresAt = expiresIn === undefined ? undefined : now + expiresIn;
  const problem = problemOfEnd({ type, expiresAt }, maxTokenDays, now);
  if (problem !== undefined) throw new FlagmeterError('usage', `${problem} Use --expires-in.`);
  if (options.trusted === true && type !== 'client')
    throw new FlagmeterError('usage', 'only a client token can be trusted');
  const environment = environmentOf(options);
  const notEnabledReasons = notEnabledReason?.map((reason) => reason.toLowerCase());
  const secret = createSecret(projects, environment);
  return {
    secret,
    name,
    expiresAt,
    type,
    environment,
    projects,
    rateLimit,
    notEnabledReasons,
    isTrusted: options.trusted,
  };
}

function environmentOf({ type, environment }: CreateOptions): string {
  if (type === 'admin' || type === 'scan') return '*';
  if (environment === undefined) throw new FlagmeterError('usage', `a ${type} token needs --environment`);
  return environment;
}

/** Returns the id as it is stored, because other processes compare the announced id with it. */
async function revoke(config: Config, log: Log, id: string): Promise<string> {
  if (!isUuid(id))
    throw new FlagmeterError('usage', `"${id}" is not the id of a token: flagmeter token list shows them`);
  const revoked = await withPostgres(config, log, (db) =>
    createApiTokens({ db, lists: db }).revoke(id, callerOf('token revoke')),
  );
  await announceRevoked(config, log, [revoked]);
  return revoked;
}
