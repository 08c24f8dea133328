import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Marks something that was prepared from certain sources. Valid until a source changes or the stamp is deleted. */
export type Stamp = { readonly file: string; readonly key: string };

/** A stamp that depends on the contents of files and on further texts, such as the version of a tool. */
export function stampOf(
  file: string,
  sources: { readonly files: readonly string[]; readonly texts: readonly string[] },
): Stamp {
  const hash = createHash('sha256');
  for (const source of sources.files) hash.update(readFileSync(source)).update('\0');
  for (const text of sources.texts) hash.update(text).update('\0');
  return { file, key: hash.digest('hex') };
}

export function isStamped({ file, key }: Stamp): boolean {
  return existsSync(file) && readFileSync(file, 'utf8') === key;
}

export function setStamp({ file, key }: Stamp): void {
  writeFileSync(file, key);
}
