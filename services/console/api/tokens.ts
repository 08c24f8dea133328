import { type Path, pathTo } from '../state/paths/path.ts';
import { useMay } from './caller.ts';
import { type Resource, useResource } from './requests/resource.ts';
import type { ApiTokenRecord, PersonalTokenRecord } from '../types.ts';

const EVERY_MS = 30_000;

/** The API tokens that are not revoked. Nothing is read for a caller who may not see them. */
export function useApiTokens(): Resource<{ readonly tokens: readonly ApiTokenRecord[] }> {
  const may = useMay();
  return useResource(may('MANAGE_TOKENS', 'anywhere') ? pathTo`api/admin/api-tokens` : undefined, {
    everyMs: EVERY_MS,
  });
}

/** The personal tokens under a path: the caller's own, or those of a user. */
export function usePersonalTokens(
  path: Path | undefined,
): Resource<{ readonly pats: readonly PersonalTokenRecord[] }> {
  return useResource(path);
}
