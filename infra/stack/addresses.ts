import { mkdir, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readIfThere } from './processes.ts';

/** What stack.env holds, one `export KEY=value` per line; the file is there exactly while the stack is up. */
export type StackAddresses = {
  readonly KAFKA_BROKERS: string;
  readonly CLICKHOUSE_URL: string;
  readonly DATABASE_URL: string;
  readonly REDIS_URL: string;
};

export async function writeAddresses(file: string, addresses: StackAddresses): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  // Exported, so that programs of a shell that has sourced the file know them too.
  const text = Object.entries(addresses).map(([key, value]) => `export ${key}=${value}\n`);
  await writeFile(`${file}.new`, text.join(''));
  await rename(`${file}.new`, file); // Whoever sees the file sees all of it.
}

export async function readAddresses(file: string): Promise<StackAddresses | undefined> {
  const lines = (await readIfThere(file)).matchAll(/^export (\w+)=(.*)$/gm);
  const values = new Map([...lines].map(([, key, value]) => [key, value]));
  const KAFKA_BROKERS = values.get('KAFKA_BROKERS');
  const CLICKHOUSE_URL = values.get('CLICKHOUSE_URL');
  const DATABASE_URL = values.get('DATABASE_URL');
  const REDIS_URL = values.get('REDIS_URL');
  if (KAFKA_BROKERS === undefined || CLICKHOUSE_URL === undefined) return undefined;
  if (DATABASE_URL === undefined || REDIS_URL === undefined) return undefined;
  return { KAFKA_BROKERS, CLICKHOUSE_URL, DATABASE_URL, REDIS_URL };
}

/** The port inside `host:port` or a URL. */
export function portOf(address: string): number {
  const url = new URL(address.includes('://') ? address : `tcp://${address}`);
  return Number(url.port);
}
