import { expect } from 'chai';
import { ANSWER_WITHIN_MS } from '../../../../../services/admin/usage/accounting/operations.ts';
import { DEADLINE_MS } from '../../../../../services/console/api/requests/client.ts';

describe('the accounting of the admin API', () => {
  it('answers or gives up before the console does', () => {
    expect(ANSWER_WITHIN_MS).to.be.below(DEADLINE_MS);
  });
});
