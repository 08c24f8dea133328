import { readFileSync, writeFileSync } from 'node:fs';

/** The file beside the documents. If the variable says so, it gets this content first. */
export function documented(
  file: string,
  { variable, content }: { variable: string; content: string },
): string {
  if (process.env[variable] === 'write') writeFileSync(file, content);
  return readFileSync(file, 'utf8');
}
