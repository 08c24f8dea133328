import { Command, InvalidArgumentError, Option } from 'commander';
import { type StoredToken, createTokens } from '#base/auth';
import { type Config, FlagmeterError, type Log, parseDuration } from '#base/runtime';
import { isUuid } from '#base/schema';
import { createApiTokens, isValid } from '../../../admin/people/tokens/index.ts';
import { callerOf } from '../../caller.ts';
import { withPostgres } from '../../revoking.ts';

type Environment = { readonly log: Log; readonly readConfig: () => Config };
type RotateOptions = { overlap: number; expiresIn?: number };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function createRotateCommand({ log, readConfig }: Environment): Command {
  return new Command('rotate')
    .description('create a token with the same rights, show its secret once, and let the old token end soon')
    .argument('<token>', 'name or id, as list shows it')
    .addOption(
      new Option('--overlap <duration>', 'how long the old token stays valid, 1h to 365d')
        .argParser(toOverlapMs)
        .default(7 * DAY_MS, '7d'),
    )
    .option(
      '--expires-in <duration>',
      'how long the new token is valid; default: as long as the old one was to be',
      toDurationMs,
    )
    .action(async (nameOrId: string, options: RotateOptions) => {
      console.log(await rotate({ config: readConfig(), log, nameOrId, options }));
    });
}

type Rotate = {
  readonly config: Config;
  readonly log: Log;
  readonly nameOrId: string;
  readonly options: RotateOptions;
};

/** Returns what to print. */
async function rotate({ config, log, nameOrId, options }: Rotate): Promise<string> {
  const { successor, secret, predecessor } = await withPostgres(config, log, async (db) => {
    const id = isUuid(nameOrId) ? nameOrId : idOf(nameOrId, await createTokens(db).list());
    const { overlap: overlapMs, expiresIn } = options;
    const expiresAt = expiresIn === undefined ? undefined : Date.now() + expiresIn;
    const terms = { overlapMs, expiresAt, maxTokenDays: config.auth.maxTokenDays };
    return createApiTokens({ db, lists: db }).rotate(id, terms, callerOf('token rotate'));
  });
  return `${secret}\n(id ${successor.id}; the secret is not shown again. The token ${predecessor.id} ends at ${predecessor.expiresAt}.)`;
}

/** The valid token with this name. While one token replaces another, both have the name, so a repeated command finds two. */
function idOf(name: string, tokens: readonly StoredToken[]): string {
  const [token, ...others] = tokens.filter((one) => one.name === name && isValid(one, Date.now()));
  if (token === undefined) throw new FlagmeterError('not-found', `there is no valid token ${name}`);
  if (others.length === 0) return token.id;
  const ids = [token, ...others].map(({ id }) => id).join(', ');
  throw new FlagmeterError('usage', `several valid tokens have the name ${name}; give an id: ${ids}`);
}

export function toDurationMs(value: string): number {
  const durationMs = parseDuration(value);
  if (durationMs !== undefined) return durationMs;
  throw new InvalidArgumentError('It is a duration such as 90m, 24h or 7d.');
}

function toOverlapMs(value: string): number {
  const overlapMs = toDurationMs(value);
  if (overlapMs >= HOUR_MS && overlapMs <= 365 * DAY_MS) return overlapMs;
  throw new InvalidArgumentError('It is 1h to 365d. To end a token at once, revoke it.');
}
