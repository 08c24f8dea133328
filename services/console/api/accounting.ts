import { useComputed } from '@preact/signals';
import { useConsole } from '../console.ts';
import { windowOf } from '../state/window.ts';
import { useLive } from './use-live.ts';
import { type Resource, useResource } from './resource.ts';
import type { AccountingDocument } from './types.ts';

const EVERY_MS = 5000;

/** The accounting of the time window of the URL, read again as soon as the live stream reports more. */
export function useAccounting(): Resource<AccountingDocument> {
  const { hours } = windowOf(useConsole().router.route.value.query['window']);
  const { counts } = useLive();
  const again = useComputed(() => JSON.stringify(counts.value?.total));
  return useResource(`api/admin/metrics/accounting?since=${hours}h`, { everyMs: EVERY_MS, again });
}

/** The answer to whether everything is accounted for. */
export function accountingAnswer({ isBalanced, differences, total }: AccountingDocument): string {
  if (!isBalanced)
    return differences.length === 1
      ? 'One number does not agree'
      : `${differences.length} numbers do not agree`;
  return total.received === 0 ? 'Nothing was received in this time' : 'Everything received is accounted for';
}
