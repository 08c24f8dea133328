import { useConsole } from '../../console.ts';
import { windowOf } from '../../state/time/window.ts';
import { pathTo } from '../../state/paths/path.ts';
import { useMayReadAll } from '../caller.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { AccountingDocument } from '../../types.ts';

const EVERY_MS = 5000;

/** The accounting of the time window of the URL. */
export function useAccounting(): Resource<AccountingDocument> {
  const { hours } = windowOf(useConsole().router.route.value.query['window']);
  const path = pathTo`api/admin/metrics/accounting?since=${hours}h`;
  return useResource(useMayReadAll() === true ? path : undefined, { everyMs: EVERY_MS });
}

/** Whether all that can be seen comes from the sample. */
export function isOnlySample({ total, sample }: AccountingDocument): boolean {
  return sample !== null && total.received === 0;
}
