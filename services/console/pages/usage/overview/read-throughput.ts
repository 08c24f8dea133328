import { useMayReadAll } from '../../../api/caller.ts';
import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Throughput } from '../../../types.ts';

const EVERY_MS = 15_000;

/** What was stored in each minute of the last hour. */
export function useThroughput(): Resource<Throughput> {
  const path = useMayReadAll() === true ? pathTo`api/admin/metrics/throughput` : undefined;
  return useResource(path, { everyMs: EVERY_MS });
}
