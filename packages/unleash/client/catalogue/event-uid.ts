import { createHash } from 'node:crypto';
import type { UnleashEvent } from './shapes.ts';

/**
 * The uid under which we store an event of Unleash, the same at each reading. It includes the time, because two installations
 * use the same ids.
 */
export function uidOfEvent({ id, type, createdAt }: Pick<UnleashEvent, 'id' | 'type' | 'createdAt'>): string {
  const hash = createHash('sha256').update(`unleash ${id} ${type} ${createdAt}`).digest('hex');
  return hash.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
