import { randomBytes } from 'node:crypto';
import { writePrivately } from './private-files.ts';
import { readIfThere } from './processes.ts';

/**
 * Passwords with which programs of this machine connect to the engines of a stack. Without them, reaching a port is
 * not enough.
 */
export type StackPasswords = {
  /** Passwords of the ClickHouse users `owner`, `flagmeter_reader` and `analyst`. */
  readonly clickhouse: string;
  /** Password of the Postgres role `flagmeter`. */
  readonly postgres: string;
  /** Password of the superuser of Postgres, who can run programs. */
  readonly superuser: string;
};

const NAMES = {
  clickhouse: 'CLICKHOUSE_PASSWORD',
  postgres: 'POSTGRES_PASSWORD',
  superuser: 'POSTGRES_SUPERUSER_PASSWORD',
} as const;
const HEADER =
  '# Passwords of the local engines, for this machine only; `make clean` forgets them with the data.';

/** Reads the passwords from a file, which the first start creates. The file is deleted together with the data. */
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
  await writePrivately(file, [HEADER, ...text, ''].join('\n'));
  return passwords;
}
