import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FlagmeterError } from '#base/runtime';

/** What a backup consists of, beside the dump of Postgres. It is written last, so a folder without it is no backup. */
export type Manifest = {
  readonly format: 1;
  /** Before the first table was read (ISO). */
  readonly takenAt: string;
  readonly disk: string;
  /** The name of ClickHouse's part on that disk. With several shards, each has a part. See `partOf`. */
  readonly name: string;
  readonly shards: number;
  readonly database: string;
  readonly countsTopic: string;
  readonly epoch: number;
  /** The committed offsets of the applications topic before the dump, by partition. */
  readonly applications: Readonly<Record<string, string>>;
};

const FILE = 'backup.json';

export function dumpFileOf(folder: string): string {
  return join(folder, 'postgres.dump');
}

/** The name of the part of one shard, by its number from 0. */
export function partOf({ name, shards }: Pick<Manifest, 'name' | 'shards'>, number: number): string {
  return shards === 1 ? name : `${name}-shard-${number + 1}`;
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeFile(join(folder, FILE), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
}

export async function readManifest(folder: string): Promise<Manifest> {
  const path = join(folder, FILE);
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new FlagmeterError('backup', `${path} cannot be read: the folder has no complete backup`, {
      cause,
    });
  });
  const manifest = JSON.parse(text) as Manifest; // we wrote it
  if ((manifest.format as number) === 1) return manifest;
  throw new FlagmeterError('backup', `${path} was written by a newer flagmeter`);
}
