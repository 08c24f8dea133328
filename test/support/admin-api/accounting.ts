import type { AccountingDocument } from '#core/accounting';
import { eventually } from '../eventually.ts';
import type { Api } from './admin.ts';

/** The accounting as the API answers it, as soon as it does: a busy ClickHouse may be too late for a first request. */
export async function askAccounting(api: Api, query = ''): Promise<AccountingDocument> {
  const { body } = await eventually(
    () => api.get(`/api/admin/metrics/accounting${query}`),
    ({ status }) => status === 200,
  );
  return body as AccountingDocument;
}
