import { createHash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { StackError } from '../stack-error.ts';

/**
 * Throws unless a directory holds exactly the files of a list. Each line is `<SHA-256>  <path>`, as `sha256sum` writes it in a Maven
 * repository. The directory has the files without their folders.
 */
export async function expectHashes(directory: string, listFile: string): Promise<void> {
  const listed = parseHashes(await readFile(listFile, 'utf8'));
  const expected = new Map([...listed].map(([place, hash]) => [path.basename(place), hash]));
  const found = await hashFiles(directory);
  const names = [...new Set([...expected.keys(), ...found.keys()])];
  const wrong = names.filter((name) => expected.get(name) !== found.get(name));
  if (wrong.length > 0)
    throw new StackError(
      'not-installed',
      `These files differ from ${path.basename(listFile)}, so none of the files is run: ${wrong.join(', ')}.`,
    );
}

/** The hashes by path. */
export function parseHashes(list: string): Map<string, string> {
  const lines = list.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

async function hashFiles(directory: string): Promise<Map<string, string>> {
  const names = (await readdir(directory)).filter((name) => !name.startsWith('.'));
  const hashes = names.map(async (name) => {
    const bytes = await readFile(path.join(directory, name));
    return [name, createHash('sha256').update(bytes).digest('hex')] as const;
  });
  return new Map(await Promise.all(hashes));
}
