import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readIfThere } from './processes.ts';

/** With which programs of this machine reach the engines of a stack; others who reach their ports have none. */
export type StackPasswords = {
  /** Of the ClickHouse users `owner`, `flagmeter_reader` and `analyst`. */
  readonly clickhouse: string;
  /** Of the Postgres role `flagmeter`. */
  readonly postgres: string;
  /** Of the superuser of Postgres, who can run programs. */
  readonly superuser: string;
};

const NAMES = {
  clickhouse: 'CLICKHOUSE_PASSWORD',
  postgres: 'POSTGRES_PASSWORD',
  superuser: 'POSTGRES_SUPERUSER_PASSWORD',
} as const;
const HEADER =
  '# Passwords of the local engines, for this machine only; `make clean` forgets them with the data.';

/** The passwords in a file, where they are created for its first start. They go with the data, and so does the file. */
export async function readPasswords(file: string): Promise<StackPasswords> {
  const lines = (await readIfThere(file)).matchAll(/^(\w+)=(.+)$/gm);
  const kept = new Map([...lines].map(([, name, value]) => [name, value]));
  const valueOf = (name: string): string => kept.get(name) ?? randomBytes(20).toString('hex');
  const passwords = {
    clickhouse: valueOf(NAMES.clickhouse),
    postgres: valueOf(NAMES.postgres),
    superuser: valueOf(NAMES.superuser),
  };
  const text = [
    `${NAMES.clickhouse}=${passwords.clickhouse}`,
    `${NAMES.postgres}=${passwords.postgres}`,
    `${NAMES.superuser}=${passwords.superuser}`,
  ];
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, [HEADER, ...text, ''].join('\n'), { mode: 0o600 });
  await chmod(file, 0o600); // the mode above is for a new file only
  return passwords;
}
