import { readFileSync, readdirSync } from 'node:fs';

/** Paths of all files of these folders of the repository, without installed packages. */
export function filesIn(...folders: readonly string[]): string[] {
  const entries = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }));
  const files = entries.flatMap((entry) => (entry.isFile() ? `${entry.parentPath}/${entry.name}` : []));
  return files.filter((file) => !file.includes('node_modules'));
}

/** The concatenated texts of all these files. */
export function textOf(files: readonly string[]): string {
  return files.map((file) => readFileSync(file, 'utf8')).join('\n');
}
