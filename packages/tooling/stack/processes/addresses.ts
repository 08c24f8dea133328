import { rename } from 'node:fs/promises';
import { writePrivately } from './private-files.ts';
import { readIfThere } from './processes.ts';

/**
 * Variables in stack.env, one `export KEY='value'` per line. The file exists only while the stack is up, and only its
 * owner can read it.
 */
export type StackAddresses = {
  readonly KAFKA_BROKERS: string;
  readonly CLICKHOUSE_URL: string;
  readonly CLICKHOUSE_USER: string;
  readonly CLICKHOUSE_PASSWORD: string;
  readonly CLICKHOUSE_READER_USER: string;
  readonly CLICKHOUSE_READER_PASSWORD: string;
  readonly DATABASE_URL: string;
};

const NAMES = [
  'KAFKA_BROKERS',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_USER',
  'CLICKHOUSE_PASSWORD',
  'CLICKHOUSE_READER_USER',
  'CLICKHOUSE_READER_PASSWORD',
  'DATABASE_URL',
] as const satisfies readonly (keyof StackAddresses)[];

export async function writeVariables(
  file: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  // Exported, so that programs started from a shell that has sourced the file know them too.
  // Quoted, because a shell ends the value at the ; between two shards otherwise. No value has a quote.
  const text = Object.entries(variables).map(([key, value]) => `export ${key}='${value}'\n`);
  await writePrivately(`${file}.new`, text.join(''));
  await rename(`${file}.new`, file); // Written in full before it is renamed, so that a reader never sees a part of it.
}

export async function readAddresses(file: string): Promise<StackAddresses | undefined> {
  const values = parseVariables(await readIfThere(file));
  if (!NAMES.every((name) => values[name] !== undefined)) return undefined;
  return Object.fromEntries(NAMES.map((name) => [name, values[name]])) as StackAddresses; // All were just found.
}

/** The variables in the text of a stack.env. */
export function parseVariables(text: string): Record<string, string | undefined> {
  const lines = text.matchAll(/^export (\w+)='(.*)'$/gm);
  return Object.fromEntries([...lines].map(([, key = '', value = '']) => [key, value]));
}

/** A URL without its password, for people and logs. */
export function shownAddress(address: string): string {
  return address.replace(/(:\/\/[^:@/]+):[^@/]+@/, '$1@');
}

/** The port inside `host:port` or a URL. */
export function portOf(address: string): number {
  const url = new URL(address.includes('://') ? address : `tcp://${address}`);
  return Number(url.port);
}
