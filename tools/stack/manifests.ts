import path from 'node:path';

/** A file or folder of `manifests`: what only tests install. */
export function manifest(name: string): string {
  return path.join(import.meta.dirname, 'manifests', name);
}
