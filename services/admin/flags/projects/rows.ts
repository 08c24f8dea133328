import type { Project } from './schema.ts';

export type ProjectRow = { id: string; name: string; description: string | null; created_at: Date };

export function toProject({ created_at, ...row }: ProjectRow): Project {
  return { ...row, createdAt: created_at.toISOString() };
}
