import { useMayReadAll } from '../../../api/caller.ts';
import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Throughput } from '../../../types.ts';

/** Of an hour, whoever turns a flag on sees it act. Of a day, a minute is less than a pixel. */
const EVERY_MS = { 1: 3000, 24: 30_000 };

/** What was stored in each minute of the last hours. */
export function useThroughput(hours: 1 | 24): Resource<Throughput> {
  const path = pathTo`api/admin/metrics/throughput?hours=${hours}`;
  return useResource(useMayReadAll() === true ? path : undefined, { everyMs: EVERY_MS[hours] });
}
