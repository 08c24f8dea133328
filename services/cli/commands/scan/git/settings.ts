import { stat } from 'node:fs/promises';
import path from 'node:path';
import { type Call, callGit } from './call-git.ts';
import type { WorkTree } from './find-work-tree.ts';

/** What a repository's configuration says that is needed. */
export type Settings = {
  /** How its files and objects are stored, by lower-case key. */
  readonly carried: ReadonlyMap<string, string>;
  /** The address of the remote repository `origin`. */
  readonly origin: string | undefined;
};

/** None of these names a program or a file. */
const CARRIED = [
  'core.autocrlf',
  'core.checkstat',
  'core.eol',
  'core.filemode',
  'core.ignorecase',
  'core.precomposeunicode',
  'core.symlinks',
  'core.trustctime',
  'extensions.objectformat',
  'extensions.refstorage',
];
const ORIGIN = 'remote.origin.url';
const WORD = /^[a-z0-9]{1,20}$/i;

/** Reads a few keys of the file as data, so that git obeys nothing in it and includes no other file. */
export async function readSettings(call: Call, { commonFolder }: WorkTree): Promise<Settings> {
  const file = path.join(commonFolder, 'config');
  const carried = new Map<string, string>();
  let origin: string | undefined;
  // Git would wait for a pipe.
  if ((await stat(file).catch(() => undefined))?.isFile() !== true) return { carried, origin };
  const args = ['config', '--file', file, '--no-includes', '--null', '--list'];
  const list = (await callGit({ ...call, env: { ...call.env, GIT_DIR: call.cwd } }, args)).toString('utf8');
  for (const entry of list.split('\0')) {
    const [, key = '', value = 'true'] = /^([^\n]*)(?:\n([^]*))?$/.exec(entry) ?? [];
    if (key === ORIGIN) origin ??= value;
    else if (CARRIED.includes(key) && WORD.test(value)) carried.set(key, value);
  }
  return { carried, origin };
}

/** The configuration that git gets instead. */
export function configOf({ carried }: Settings): string {
  const lines = [...carried].map(([key, value]) => `[${key.replace('.', ']\n\t')} = ${value}\n`);
  return `[core]\n\trepositoryFormatVersion = 1\n\tbare = false\n${lines.join('')}`;
}
