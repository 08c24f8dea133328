import { expect } from 'chai';
import { createLineBudget } from '../../../../../services/admin/http/requests/rejections.ts';

describe('createLineBudget', () => {
  const WINDOW_MS = 60_000;
  const allowed = (budget: ReturnType<typeof createLineBudget>, keys: string[], now = 1) =>
    budget.take(keys, now).isAllowed;

  it('bounds the lines of each key', () => {
    const budget = createLineBudget({ each: 2, all: 100 }, WINDOW_MS);
    const taken = ['token a', 'token b', 'token c'].map((token) => allowed(budget, ['address', token]));
    expect(taken).to.deep.equal([true, true, false]);
    expect(allowed(budget, ['other address', 'token c'])).to.equal(true);
  });

  it('bounds the lines of all keys', () => {
    const budget = createLineBudget({ each: 2, all: 3 }, WINDOW_MS);
    const taken = ['a', 'b', 'c', 'd'].map((address) => allowed(budget, [address]));
    expect(taken).to.deep.equal([true, true, true, false]);
  });

  it('begins again with each window, and says how many lines the last one dropped', () => {
    const budget = createLineBudget({ each: 1, all: 10 }, WINDOW_MS);
    for (let count = 0; count < 4; count += 1) budget.take(['address'], 1);
    expect(budget.take(['address'], WINDOW_MS)).to.deep.equal({ isAllowed: false, dropped: 0 });
    expect(budget.take(['address'], WINDOW_MS + 1)).to.deep.equal({ isAllowed: true, dropped: 4 });
    expect(budget.take(['address'], 2 * WINDOW_MS + 1)).to.deep.equal({ isAllowed: true, dropped: 0 });
  });
});
