import { useComputed } from '@preact/signals';
import { useMayReadAll } from '../../../api/caller.ts';
import { useLive } from '../../../api/live/use-live.ts';
import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Throughput } from '../../../types.ts';

const EVERY_MS = 15_000;

/** What was stored in each minute of the last hour, read again as soon as the live stream reports more. */
export function useThroughput(): Resource<Throughput> {
  const { counts } = useLive();
  const again = useComputed(() => JSON.stringify(counts.value?.total));
  const path = useMayReadAll() === true ? pathTo`api/admin/metrics/throughput` : undefined;
  return useResource(path, { everyMs: EVERY_MS, again });
}
