import { readFileSync } from 'node:fs';
import { parseVariables } from '../../../../tools/stack/index.ts';

const NAMES = ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'DATABASE_URL', 'REDIS_URL'] as const;
/** Other engines than ours may need no password. */
const ACCESS = [
  'CLICKHOUSE_USER',
  'CLICKHOUSE_PASSWORD',
  'CLICKHOUSE_READER_USER',
  'CLICKHOUSE_READER_PASSWORD',
] as const;

export type StackEnv = Record<(typeof NAMES)[number], string>;

/**
 * Addresses of the engines for the tests: from the environment, which `make test` sets, otherwise from `make stack`.
 * Without a stack the suite fails; no test is skipped.
 */
export function stackEnv(): StackEnv {
  const file = process.env['KAFKA_BROKERS'] === undefined ? readStackFile() : {};
  const found: Record<string, string | undefined> = { ...file, ...process.env };
  const entries = NAMES.map((name) => {
    const value = found[name];
    if (value === undefined) throw new Error(`${name} is not known: start the engines with "make stack"`);
    return [name, value] as const;
  });
  const access = ACCESS.flatMap((name) => (found[name] === undefined ? [] : [[name, found[name]]]));
  return Object.fromEntries([...entries, ...access]) as StackEnv; // Every name was just found.
}

function readStackFile(): Record<string, string | undefined> {
  try {
    return parseVariables(readFileSync('.local/stack.env', 'utf8'));
  } catch {
    return {};
  }
}
