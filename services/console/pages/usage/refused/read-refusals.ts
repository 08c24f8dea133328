import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Refusals, RejectedBodies } from '../../../types.ts';

const EVERY_MS = 30_000;
/** The longest list of the API. */
const MAX_REFUSALS = 1000;

/** The refusals of 30 days, by day, newest first. */
export function useRefusals(): Resource<Refusals> {
  return useResource(pathTo`api/admin/metrics/refusals?limit=${MAX_REFUSALS}`, { everyMs: EVERY_MS });
}

/** The rejected bodies of 30 days, by day, newest first. */
export function useRejectedBodies(): Resource<RejectedBodies> {
  return useResource(pathTo`api/admin/metrics/rejected-bodies?limit=${MAX_REFUSALS}`, { everyMs: EVERY_MS });
}
