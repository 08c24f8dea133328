import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writePrivately } from '../processes/private-files.ts';

/** The variables of the initial tokens, comma separated, and of the key that encrypts receivers of notifications. */
export type LocalSecrets = {
  readonly INIT_ADMIN_API_TOKENS: string;
  readonly INIT_CLIENT_API_TOKENS: string;
  readonly INIT_FRONTEND_API_TOKENS: string;
  readonly SECRETS_KEY: string;
};

const NAMES = [
  'INIT_ADMIN_API_TOKENS',
  'INIT_CLIENT_API_TOKENS',
  'INIT_FRONTEND_API_TOKENS',
  'SECRETS_KEY',
] as const;
const HEADER = '# Throw-away secrets, for this machine only; delete the file for new ones.';

/** A random key, and random tokens for all projects: client tokens for development and for production. */
export function createSecrets(): LocalSecrets {
  return {
    INIT_ADMIN_API_TOKENS: `*:*.${random()}`,
    INIT_CLIENT_API_TOKENS: `*:development.${random()},*:production.${random()}`,
    INIT_FRONTEND_API_TOKENS: `*:development.${random()}`,
    SECRETS_KEY: randomBytes(32).toString('base64'),
  };
}

/**
 * The secrets of the environment. Unset variables get those of the file, which creates missing ones, so that the next start has
 * the same.
 */
export async function readSecrets(file: string, env: NodeJS.ProcessEnv): Promise<LocalSecrets> {
  const given = pick(env);
  const kept = pick(await readVariables(file));
  const missing = NAMES.filter((name) => given[name] === undefined && kept[name] === undefined);
  const created = createSecrets();
  const written = { ...kept, ...Object.fromEntries(missing.map((name) => [name, created[name]])) };
  if (missing.length > 0) await writeVariables(file, written);
  return { ...created, ...written, ...given };
}

export function listOf(tokens: string): string[] {
  return tokens.split(',').flatMap((token) => token.trim() || []);
}

function random(): string {
  return randomBytes(28).toString('hex');
}

function pick(variables: Readonly<Record<string, string | undefined>>): Partial<LocalSecrets> {
  return Object.fromEntries(NAMES.flatMap((name) => (variables[name] ? [[name, variables[name]]] : [])));
}

async function readVariables(file: string): Promise<Record<string, string>> {
  const text = await readFile(file, 'utf8').catch(() => ''); // The first start finds no file.
  const lines = text.split('\n').filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

async function writeVariables(file: string, variables: Partial<LocalSecrets>): Promise<void> {
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  await writePrivately(file, [HEADER, ...lines, ''].join('\n'));
}
