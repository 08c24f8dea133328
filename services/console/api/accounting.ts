import { useConsole } from '../console.ts';
import { windowOf } from '../state/window.ts';
import { type Resource, useResource } from './resource.ts';
import type { AccountingDocument } from './types.ts';

const EVERY_MS = 5000;

/** The accounting of the time window of the URL. */
export function useAccounting(): Resource<AccountingDocument> {
  const { hours } = windowOf(useConsole().router.route.value.query['window']);
  return useResource(`api/admin/metrics/accounting?since=${hours}h`, { everyMs: EVERY_MS });
}

/** The answer to whether everything is accounted for. */
export function accountingAnswer({ isBalanced, differences, total }: AccountingDocument): string {
  if (!isBalanced)
    return differences.length === 1
      ? 'One number does not agree'
      : `${differences.length} numbers do not agree`;
  return total.received === 0 ? 'Nothing was received in this time' : 'Everything received is accounted for';
}
